import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { createOwnClock } from '../../database/time/database-clock.js';
import type { BilledAnswer } from '../../idempotency/claim-rows.js';
import { IdempotentAnswers } from '../../idempotency/idempotent-answers.js';
import type { RetriedAnswers } from '../../idempotency/retried-answers.js';
import { FakeClock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { silentLogger } from '../../kernel/logger.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { CallerPresence } from './caller-presence.js';
import { RetryOffer } from './retry-offer.js';

const retriesMax = 3;

/** What happens next; the numbers choose among whom it can happen to. */
interface Step {
  readonly what: 'ask' | 'leave' | 'end';
  readonly who: number;
  readonly server: number;
  /** How many ask at once. */
  readonly crowd: number;
  /** Whether an answer that is given again breaks off on its way. */
  readonly isLost: boolean;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    what: fc.constantFrom('ask' as const, 'ask' as const, 'leave' as const, 'leave' as const, 'end' as const),
    who: fc.nat(20),
    server: fc.nat(1),
    crowd: fc.integer({ min: 1, max: 4 }),
    isLost: fc.boolean(),
  }),
  { minLength: 10, maxLength: 40 },
);

/** One call of a client's program, with its retries. */
interface Chain {
  attempts: number;
  state: 'away' | 'there' | 'waiting' | 'done';
  /** The call that it is there for. */
  call: Call | null;
  /** Of the wait for a call that somebody began before. */
  leaving: AbortController | null;
  waiting: Promise<unknown>;
}

interface Call {
  readonly callId: string;
  readonly offer: RetryOffer;
  readonly chain: Chain;
  readonly response: EventEmitter & { writableFinished: boolean };
}

/** Equal requests of one account, played on two servers of one database. */
class Play {
  readonly #accountId = createId('account');
  readonly #chains: Chain[];
  readonly #running: Call[] = [];
  /** Call -> the chains that have its answer. */
  readonly had = new Map<string, Chain[]>();
  callCount = 0;

  constructor(
    private readonly fixture: LedgerFixture,
    private readonly servers: readonly RetriedAnswers[],
    chainCount: number,
  ) {
    const waiting = Promise.resolve();
    this.#chains = Array.from({ length: chainCount }, () => ({
      ...{ attempts: 0, state: 'away', call: null, leaving: null, waiting },
    }));
  }

  get startedCount(): number {
    return this.#chains.filter(({ attempts }) => attempts > 0).length;
  }

  async do(step: Step): Promise<void> {
    const { what, who } = step;
    const among = this.#chains.filter(({ state, attempts }) =>
      what === 'ask' ? state === 'away' && attempts <= retriesMax : state === 'there' || state === 'waiting',
    );
    if (what === 'end') {
      const call = this.#running[who % Math.max(this.#running.length, 1)];
      if (call) await this.#end(call);
    } else if (what === 'leave') {
      const chain = among[who % Math.max(among.length, 1)];
      if (chain) await this.#leave(chain);
    } else {
      for (const [index, chain] of among.slice(0, step.crowd).entries()) this.#ask(chain, step, index);
    }
    await this.#settle();
  }

  /** Ends all calls; then whoever has no answer asks once more. */
  async finish(): Promise<void> {
    for (const call of [...this.#running]) await this.#end(call);
    await this.#settle();
    const last = this.#chains.filter(({ state, attempts }) => state === 'away' && attempts > 0);
    const step = { what: 'ask' as const, who: 0, server: 0, crowd: last.length, isLost: false };
    for (const [index, chain] of last.entries()) this.#ask(chain, step, index);
    await this.#settle();
    for (const call of [...this.#running]) await this.#end(call);
  }

  #ask(chain: Chain, { server, isLost }: Step, index: number): void {
    const retryCount = chain.attempts;
    const request = { accountId: this.#accountId, apiKeyId: 'key_1', body: '{}', retryCount };
    const answers = this.servers[(server + index) % this.servers.length] as RetriedAnswers;
    chain.attempts += 1;
    if (retryCount === 0) {
      this.#begin(chain, answers, request);
      return;
    }
    chain.state = 'waiting';
    chain.leaving = new AbortController();
    const timeouts = { signal: chain.leaving.signal, hereMs: 60_000, elsewhereMs: 60_000 };
    const take = async (earlier: BilledAnswer | null) => {
      if (earlier === null) return this.#begin(chain, answers, request);
      // Its next attempt may reach the other server, which knows of the leaving once it is written.
      if (isLost) await answers.leave(request, earlier.callId);
      else this.#note(earlier.callId, chain);
      chain.state = isLost ? 'away' : 'done';
    };
    chain.waiting = answers.find(request, timeouts).then(take, () => {
      chain.state = 'away';
    });
  }

  #begin(chain: Chain, answers: RetriedAnswers, request: ConstructorParameters<typeof RetryOffer>[0]): void {
    const callId = createId('call');
    const response = Object.assign(new EventEmitter(), { destroyed: false, writableFinished: false });
    const caller = new CallerPresence(response as unknown as ServerResponse);
    const call = { callId, offer: new RetryOffer(request, callId, caller, answers), chain, response };
    Object.assign(chain, { state: 'there', call });
    this.#running.push(call);
    this.callCount += 1;
  }

  async #leave(chain: Chain): Promise<void> {
    if (chain.state === 'there') {
      chain.state = 'away';
      const { callId, response } = chain.call as Call;
      response.emit('close');
      // A client waits longer than that before it asks again, and may ask another server.
      await eventually(async () => (await this.#count(`call_id = '${callId}'`)) === 1);
    } else {
      chain.leaving?.abort(new Error('left'));
      await chain.waiting;
    }
  }

  async #end(call: Call): Promise<void> {
    this.#running.splice(this.#running.indexOf(call), 1);
    const { callId, chain, offer, response } = call;
    await offer.keep(`answer of ${callId}`);
    if (chain.state === 'there' && chain.call === call) {
      response.writableFinished = true;
      response.emit('close');
      chain.state = 'done';
      this.#note(callId, chain);
    }
    await offer.close();
  }

  #note(callId: string, chain: Chain): void {
    this.had.set(callId, [...(this.had.get(callId) ?? []), chain]);
  }

  /** Waits until every retry has its answer, is a call, or waits for one that runs. */
  async #settle(): Promise<void> {
    await eventually(async () => {
      const waiting = this.#chains.filter(({ state }) => state === 'waiting').length;
      return waiting === (await this.#count("is_finished = false AND body_hash LIKE '% there'"));
    });
  }

  #count(condition: string): Promise<number> {
    return this.fixture.countRows('idempotent_answer', `account_id = '${this.#accountId}' AND ${condition}`);
  }
}

describeOnEachDatabase('Equal calls, left and asked for again in any order', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);

  it('are made once for each client’s wish, and each answer goes to one of them', async () => {
    const parts = {
      ...{ unitOfWork: fixture.unitOfWork, databaseClock: createOwnClock(new FakeClock()) },
      ...{ logger: silentLogger, times: { leaseMs: 60_000, graceMs: 30_000 } },
      findBelievedMs: async () => 0,
      findCallStanding: async () => 'running' as const,
      decideCallStanding: async () => 'running' as const,
    };
    let replayCount = 0;
    const check = async (chainCount: number, played: readonly Step[]) => {
      const servers = [0, 1].map(() => new IdempotentAnswers(parts).retries);
      const play = new Play(fixture, servers, chainCount);
      for (const step of played) await play.do(step);
      await play.finish();
      const havers = [...play.had.values()];
      const seen = { wishes: play.startedCount, calls: play.callCount, answers: havers.map(({ length }) => length) };
      const each = Array(play.startedCount).fill(1);
      expect(seen).toEqual({ wishes: play.startedCount, calls: play.startedCount, answers: each });
      replayCount += havers.flat().filter(({ attempts }) => attempts > 1).length;
    };
    await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 5 }), steps, check), {
      numRuns: 40,
      // Each try waits for servers that look at each other's rows.
      endOnFailure: true,
    });
    expect(replayCount).toBeGreaterThan(40);
  }, 180_000);
});
