import { mock } from 'node:test';
import { AppError } from '../kernel/app-error.js';
import { FakeClock } from '../kernel/clock.js';
import { type LogFields, silentLogger } from '../kernel/logger.js';
import type { CallAttempt } from '../ledger/ledger-types.js';
import { type EventTaker, giveAll } from '../providers/answers/event-taker.js';
import type { UpstreamCall } from '../providers/call-upstream.js';
import { createDemoTarget } from '../providers/demo/demo-provider.js';
import type { UpstreamEvent, UpstreamTarget } from '../providers/provider-adapter.js';
import { RefusedHandshakeError } from '../providers/upstream-error.js';
import { callWithFailover } from './call-with-failover.js';

const usage = {
  inputTokens: 1,
  cachedInputTokens: null,
  cacheWriteInputTokens: null,
  outputTokens: 1,
  reasoningTokens: null,
};
const answer: UpstreamEvent = { type: 'usage', usage };
const targets = ['a', 'b', 'c'].map((name): UpstreamTarget => ({ ...createDemoTarget(name), providerId: name }));

type Play = (call: UpstreamCall) => Iterable<UpstreamEvent>;
const failing = (error: AppError, told: { isSent?: boolean; status?: number } = {}): Play =>
  function* (call) {
    if (told.isSent) call.onSent?.();
    if (told.status) call.onStatus?.(told.status);
    yield* [];
    throw error;
  };
const answering: Play = function* () {
  yield answer;
};
const refused = new AppError('provider_error', 'refused');
const untranslatable = new AppError('unsupported_parameter', 'not here', { param: 'n' });

/** Runs one call over targets that play these parts, in the order of the alphabet. */
function prepare(plays: Readonly<Record<string, Play>>, chosen = targets) {
  const clock = new FakeClock();
  const calls: UpstreamCall[] = [];
  const ended: [string, unknown][] = [];
  const attempts: CallAttempt[] = [];
  const leftAlone = new Set<string>();
  const abort = new AbortController();
  const logged: [string, LogFields | undefined][] = [];
  const services = {
    logger: { ...silentLogger, warn: (event: string, fields?: LogFields) => void logged.push([event, fields]) },
    clock,
    callMsMax: 1_000,
    upstream: {
      async call(call: UpstreamCall, taker: EventTaker) {
        calls.push(call);
        await giveAll((plays[call.target.providerId] as Play)(call), taker);
      },
    },
    health: {
      isCallable: () => true,
      findRetryAtMs: () => clock.nowMs() + 5_000,
      begin: ({ providerId }: { providerId: string }) =>
        leftAlone.has(providerId)
          ? null
          : { answered: () => {}, ended: (error: unknown) => void ended.push([providerId, error]) },
    },
  };
  const call = { id: 'call_1', begunMs: performance.now(), key: { accountId: 'acct_1' } };
  const told: string[] = [];
  const watch = {
    signal: abort.signal,
    get hasLeft() {
      return abort.signal.aborted;
    },
    get hasBrokenOff() {
      return abort.signal.aborted;
    },
    isWanted: () => !abort.signal.aborted,
    noteAttempt: ({ providerId }: UpstreamTarget) => void told.push(providerId),
    noteSent: () => void told.push('sent'),
  };
  const request = { model: 'm', messages: [], max_completion_tokens: 100 };
  const turn = { call, watch, targets: chosen, request, attempts };
  const run = async () => {
    const events: UpstreamEvent[] = [];
    const take = (event: UpstreamEvent) => {
      events.push(event);
      return null;
    };
    await callWithFailover({ ...turn, taker: { take, hasEnough: false } }, services);
    return events;
  };
  const listAsked = () => calls.map(({ target }) => target.providerId);
  return {
    run,
    clock,
    calls,
    ended,
    attempts,
    leftAlone,
    abort,
    listAsked,
    services,
    turn,
    told,
    logged,
  };
}

describe('callWithFailover', () => {
  it('asks the next one when the request never went out', async () => {
    const { run, listAsked, attempts } = prepare({ a: failing(refused), b: answering });
    expect(await run()).toEqual([answer]);
    expect(listAsked()).toEqual(['a', 'b']);
    expect(attempts.map(({ provider, errorCode }) => [provider, errorCode])).toEqual([
      ['a', 'provider_error'],
      ['b', null],
    ]);
  });

  it('tells the log of each that failed where another one may be asked, and why', async () => {
    const inside = new AppError('provider_unavailable', 'out of service', { innerReason: 'status 401' });
    const { run, logged } = prepare(
      { a: failing(inside, { isSent: true, status: 401 }), b: failing(untranslatable) },
      targets.slice(0, 2),
    );
    await expect(run()).rejects.toBe(inside);
    const facts = { provider: 'a', status: 401, errorCode: 'provider_unavailable', innerReason: 'status 401' };
    expect(logged).toEqual([
      ['call_attempt_failed', expect.objectContaining(facts)],
      ['call_attempt_failed', expect.objectContaining({ provider: 'b', innerReason: undefined })],
    ]);
  });

  it('tells of each attempt, and when it goes out', async () => {
    const { run, told } = prepare({ a: failing(refused, { isSent: true, status: 503 }), b: answering });
    await run();
    expect(told).toEqual(['a', 'sent', 'b']);
  });

  it('asks the next one where the request went out and TLS refused the connection', async () => {
    const refusedByTls = new RefusedHandshakeError('provider_error', 'no certificate');
    const { run, listAsked } = prepare({ a: failing(refusedByTls, { isSent: true }), b: answering });
    expect(await run()).toEqual([answer]);
    expect(listAsked()).toEqual(['a', 'b']);
  });

  it('asks nobody else once the request went out and nothing came back', async () => {
    const { run, listAsked } = prepare({ a: failing(refused, { isSent: true }), b: answering });
    await expect(run()).rejects.toBe(refused);
    expect(listAsked()).toEqual(['a']);
  });

  it.each([
    [429, true],
    [500, true],
    [502, true],
    [503, true],
    [529, true],
    [401, true],
    [402, true],
    [403, true],
    [404, true],
    [200, false],
    [307, false],
    [400, false],
    [408, false],
    [413, false],
    [422, false],
    [504, false],
    [524, false],
  ])('after status %i: asks the next one, %s', async (status, isAsked) => {
    const { run, listAsked } = prepare({ a: failing(refused, { isSent: true, status }), b: answering });
    await run().catch(() => {});
    expect(listAsked()).toEqual(isAsked ? ['a', 'b'] : ['a']);
  });

  it('asks nobody else once something was passed on', async () => {
    const breaksOff: Play = function* () {
      yield answer;
      throw refused;
    };
    const { run, listAsked } = prepare({ a: breaksOff, b: answering });
    await expect(run()).rejects.toBe(refused);
    expect(listAsked()).toEqual(['a']);
  });

  it('asks nobody else once the caller has left', async () => {
    const { run, listAsked, abort, attempts } = prepare({
      a: function* (call) {
        abort.abort(new Error('left'));
        call.signal?.throwIfAborted();
        yield answer;
      },
      b: answering,
    });
    await expect(run()).rejects.toThrow('left');
    expect(listAsked()).toEqual(['a']);
    expect(attempts).toMatchObject([{ provider: 'a', errorCode: null }]);
  });

  it('gives each attempt what is left of the time of one call, and begins none after that', async () => {
    let nowMs = 5_000;
    const reading = mock.method(performance, 'now', () => nowMs);
    const slow = (advanceMs: number): Play =>
      function* () {
        nowMs += advanceMs;
        yield* [];
        throw refused;
      };
    const { run, calls, attempts } = prepare({ a: slow(600), b: slow(600), c: answering });
    await run().catch((error) => expect(error).toBe(refused));
    reading.mock.restore();
    expect(calls.map(({ totalMsMax }) => totalMsMax)).toEqual([1_000, 400]);
    expect(attempts).toMatchObject([
      { startMs: 0, durationMs: 600 },
      { startMs: 600, durationMs: 600 },
    ]);
  });

  it('goes by one that cannot translate the request, and says so only when nobody else failed otherwise', async () => {
    const passed = prepare({ a: failing(untranslatable), b: answering });
    expect(await passed.run()).toEqual([answer]);
    const mixed = prepare({ a: failing(untranslatable), b: failing(refused), c: failing(untranslatable) });
    await expect(mixed.run()).rejects.toBe(refused);
    const nobody = prepare({ a: failing(untranslatable), b: failing(untranslatable), c: failing(untranslatable) });
    await expect(nobody.run()).rejects.toBe(untranslatable);
  });

  it('passes over one whose circuit opened meanwhile; if that is all of them, says when to come back', async () => {
    const { run, leftAlone, listAsked } = prepare({ a: answering, b: answering, c: answering });
    leftAlone.add('a');
    await run();
    expect(listAsked()).toEqual(['b']);
    leftAlone.add('b').add('c');
    await expect(run()).rejects.toMatchObject({ code: 'provider_unavailable', retryAfterMs: 5_000 });
  });

  it('asks no target for more than it can give', async () => {
    const [a, b] = targets as [UpstreamTarget, UpstreamTarget];
    const { run, calls } = prepare({ a: failing(refused), b: answering }, [{ ...a, maxOutputTokens: 60 }, b]);
    await run();
    expect(calls.map(({ request }) => request.max_completion_tokens)).toEqual([60, 100]);
  });

  it('does not blame a provider for a reader who stops', async () => {
    const goesOn: Play = function* () {
      yield answer;
      throw refused;
    };
    const { turn, services, ended, attempts } = prepare({ a: goesOn });
    await callWithFailover({ ...turn, taker: { take: () => null, hasEnough: true } }, services);
    expect(ended).toEqual([['a', null]]);
    expect(attempts).toHaveLength(1);
  });
});
