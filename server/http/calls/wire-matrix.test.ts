import { priceList } from '../../pricing/price-list.js';
import type { JsonObject } from '../../providers/chat-types.js';
import { ContractApp } from '../../test/contract-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import type { AnsweredCase, ProviderContract } from '../../test/provider-contract-case.js';
import { providerContracts } from '../../test/provider-contracts/all-contracts.js';
import { openAiCompatibleContract } from '../../test/provider-contracts/openai-compatible-contract.js';
import { readPlainAnswer, readStreamedAnswer, type SeenAnswer } from '../../test/wire-answers.js';
import { type MatrixWire, matrixWires, type WireQuestion } from '../../test/wire-questions.js';

/** Why an answer ends, on each wire. */
const ends: Readonly<Record<MatrixWire, Readonly<Record<string, string>>>> = {
  chat: { stop: 'stop', length: 'length', tool_calls: 'tool_calls', content_filter: 'content_filter' },
  responses: {
    stop: 'completed',
    length: 'max_output_tokens',
    tool_calls: 'completed',
    content_filter: 'content_filter',
  },
  messages: { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' },
};

const modelOf = (contract: ProviderContract, answered: AnsweredCase) =>
  answered.upstreamModel ?? contract.upstreamModel;
const priceOf = (model: string) => Number(priceList.find(({ id }) => id === model)?.millicreditsPerToken);

/** What must be seen of a case, whatever the wire. */
function expectedOf(wire: MatrixWire, { expected }: AnsweredCase, providerId: string): SeenAnswer {
  const { content, refusal = '', reasoning_content: reasoning = '', tool_calls: calls = [] } = expected.message;
  const text = content ?? '';
  const told = refusal.replace('acme', providerId);
  return {
    end: ends[wire][expected.finishReason] ?? '',
    text: wire === 'messages' ? text + told : text,
    refusal: wire === 'messages' ? '' : told,
    reasoning,
    calls: calls.map(({ id, function: { name, arguments: written } }) => ({
      // A provider that names no call is given the name of ours.
      id: id.startsWith('call_1_') ? expect.stringMatching(/^call_\w+$/) : id,
      name,
      arguments: written,
    })),
    // Where nothing was made, the prompt is free, too.
    tokens: expected.usage.outputTokens === 0 ? 0 : expected.usage.inputTokens + expected.usage.outputTokens,
  };
}

const normalised = (seen: SeenAnswer) => ({
  ...seen,
  calls: seen.calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments || '{}') as unknown })),
});

describeOnEachDatabase('The matrix of wires', (openTestDatabase) => {
  let app: ContractApp;
  beforeAll(async () => {
    app = await ContractApp.start(await openTestDatabase());
  });
  afterAll(() => app.close());

  function ask(wire: MatrixWire, answered: AnsweredCase, question: WireQuestion) {
    // Thinking goes back to the model that made it, and to no other.
    const request = JSON.parse(JSON.stringify(answered.request).replaceAll('public-name', question.model));
    return app.ask(wire, request as AnsweredCase['request'], question);
  }

  describe.each(providerContracts.map((contract) => [contract.id, contract] as const))('%s', (id, contract) => {
    const providerId = id === 'openai-compatible' ? 'openai' : id;
    const cases = Object.entries(contract.cases);

    describe.each(matrixWires)('over %s', (wire) => {
      it.each(cases)(
        '%s: seen whole, in the documented shape, plain and streamed, each charged exactly',
        async (_, answered) => {
          const model = modelOf(contract, answered);
          for (const stream of [false, true]) {
            app.upstream.play({ body: stream ? answered.stream : JSON.stringify(answered.answer) });
            const { status, text, receipt, chargedMillicredits } = await ask(wire, answered, { model, stream });
            expect([status, status === 200 ? '' : text]).toEqual([200, '']);
            const seen = stream ? readStreamedAnswer(wire, text) : readPlainAnswer(wire, text);
            expect(normalised(seen)).toEqual(normalised(expectedOf(wire, answered, providerId)));
            const source = answered.expected.usage.outputTokens === 0 ? 'none' : 'reported';
            expect(receipt).toMatchObject({ outcome: 'completed', usage_source: source });
            expect(chargedMillicredits).toBe(seen.tokens * priceOf(model));
          }
        },
      );
    });

    it.each(cases)('%s: is asked in the same words whichever wire it came on', async (_, answered) => {
      const model = modelOf(contract, answered);
      app.upstream.play({ body: JSON.stringify(answered.answer) });
      const bodies: JsonObject[] = [];
      for (const wire of matrixWires) {
        await ask(wire, answered, { model, stream: false });
        bodies.push(toConversation(app.upstream.bodies.at(-1) ?? {}));
      }
      expect(bodies[1]).toEqual(bodies[0]);
      expect(bodies[2]).toEqual(bodies[0]);
    });
  });

  it.each(matrixWires)('over %s the only choice is seen although its provider counts from 1', async (wire) => {
    const answered = Object.values(openAiCompatibleContract.cases)[0] as AnsweredCase;
    const fromOne = (text: string) => text.replaceAll('"choices":[{"index":0', '"choices":[{"index":1');
    for (const stream of [false, true]) {
      app.upstream.play({ body: stream ? answered.stream.map(fromOne) : fromOne(JSON.stringify(answered.answer)) });
      const { text } = await ask(wire, answered, { model: modelOf(openAiCompatibleContract, answered), stream });
      const seen = stream ? readStreamedAnswer(wire, text) : readPlainAnswer(wire, text);
      expect(normalised(seen)).toEqual(normalised(expectedOf(wire, answered, 'openai')));
    }
  });
});

/** The conversation and the tools in a provider's body; how it is to be answered is told in other ways on other wires. */
function toConversation(body: JsonObject): JsonObject {
  const fields = ['messages', 'system', 'contents', 'systemInstruction', 'tools', 'tool_choice', 'toolConfig'];
  const kept = Object.fromEntries(fields.map((name) => [name, body[name]]));
  // The same, said in two ways.
  const json = JSON.stringify(kept)
    .replaceAll('"role":"developer"', '"role":"system"')
    .replaceAll(',"detail":"low"', '')
    .replaceAll('"content":null,', '')
    .replaceAll(/,"parameters(JsonSchema)?":\{"type":"object","properties":\{\}\}/g, '')
    .replaceAll(/\[\{"type":"text","text":("(?:[^"\\]|\\.)*")\}\]/g, '$1');
  return JSON.parse(json) as JsonObject;
}
