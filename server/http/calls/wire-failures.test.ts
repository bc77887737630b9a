import { ContractApp, type WireCall } from '../../test/contract-app.js';
import type { PlayedAnswer } from '../../test/contract-upstream.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { readMessagesError } from '../../test/messages-shape.js';
import { checkPlainAnswer } from '../../test/openai-shape.js';
import { canary, type ProviderContract } from '../../test/provider-contract-case.js';
import { providerContracts } from '../../test/provider-contracts/all-contracts.js';
import { readStreamedAnswer, type SeenAnswer } from '../../test/wire-answers.js';
import { type MatrixWire, matrixWires } from '../../test/wire-questions.js';

const hasShown = ({ text, refusal, reasoning, calls }: SeenAnswer) =>
  text + refusal + reasoning !== '' || calls.length > 0;

/** The type that Anthropic's clients read in an error of this status. */
const typeOf: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

describeOnEachDatabase('Failures of a provider on each wire', (openTestDatabase) => {
  let app: ContractApp;
  beforeAll(async () => {
    app = await ContractApp.start(await openTestDatabase());
  });
  afterAll(() => app.close());

  async function ask(wire: MatrixWire, contract: ProviderContract, stream: boolean, played: PlayedAnswer) {
    app.upstream.play(played);
    const question = { messages: [{ role: 'user' as const, content: 'What is the weather in Paris?' }] };
    const call = await app.ask(wire, question, { model: contract.upstreamModel, stream });
    for (const hidden of Object.values(canary)) expect(call.text).not.toContain(hidden);
    return call;
  }

  /** What is written down is what was seen: never free after anything was shown, never charged before. */
  function expectSound({ status, text, receipt, chargedMillicredits }: WireCall, wire: MatrixWire): string {
    if (status !== 200) {
      expect([receipt?.outcome, chargedMillicredits]).toEqual(['failed', 0]);
      return 'refused';
    }
    const seen = readStreamedAnswer(wire, text);
    if (seen.end !== null) {
      expect(receipt?.outcome).toBe('completed');
      expect(chargedMillicredits).toBe(
        seen.tokens * Number(receipt?.millicredits_per_token ?? chargedMillicredits / seen.tokens),
      );
      expect(chargedMillicredits).toBeGreaterThan(0);
      return 'whole';
    }
    expect(receipt?.outcome).toBe(hasShown(seen) ? 'interrupted' : 'failed');
    if (hasShown(seen)) expect(chargedMillicredits).toBeGreaterThan(0);
    else expect(chargedMillicredits).toBe(0);
    return hasShown(seen) ? 'interrupted' : 'free';
  }

  describe.each(providerContracts.map((contract) => [contract.id, contract] as const))('%s', (_, contract) => {
    describe.each(matrixWires)('over %s', (wire) => {
      it.each(contract.errorStatuses.map((fixture) => [fixture.status, fixture.name, fixture] as const))(
        'a refusal with %d, %s: the same status as over chat, in the form of the wire, and free',
        async (_status, _name, { status, body }) => {
          const overChat = await ask('chat', contract, false, { status, body });
          for (const stream of [false, true]) {
            const answer = await ask(wire, contract, stream, { status, body });
            expect(answer.status).toBe(overChat.status);
            expect([answer.receipt?.outcome, answer.chargedMillicredits]).toEqual(['failed', 0]);
            if (wire === 'messages') expect(readMessagesError(answer.text).error.type).toBe(typeOf[answer.status]);
            else checkPlainAnswer(answer.status, answer.text);
          }
        },
      );

      it.each(contract.errorEvents.map((fixture) => [fixture.name, fixture] as const))(
        'a stream that reports a failure, %s: one error at its end, charged for what was shown',
        async (_name, { stream, code }) => {
          const answer = await ask(wire, contract, true, { body: stream });
          expect(expectSound(answer, wire)).not.toBe('whole');
          expect(answer.receipt?.error_code).toBe(code);
        },
      );

      it.each(['text', 'parallel tools', 'reasoning'] as const)(
        'a stream of %s that is cut behind each of its events: an error unless it was whole, charged for what was shown',
        async (name) => {
          const { stream } = contract.cases[name];
          const outcomes: string[] = [];
          for (let cutAfter = 0; cutAfter < stream.length; cutAfter += 1) {
            outcomes.push(expectSound(await ask(wire, contract, true, { body: stream, cutAfter }), wire));
          }
          expect(outcomes[0]).toBe('refused');
          // Where everything comes in one event, there is nothing between nothing and all.
          if (stream.length > 2) expect(outcomes).toContain('interrupted');
        },
      );
    });
  });
});
