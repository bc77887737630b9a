import { AppError, type ErrorCode } from '../../kernel/app-error.js';
import { FakeClock } from '../../kernel/clock.js';
import { createLogger } from '../../kernel/logger.js';
import { createTotalTimeError, RouteFaultError } from '../upstream-error.js';
import { type AttemptWatch, RouteBreaker } from './route-breaker.js';

const route = { providerId: 'acme', upstreamModel: 'm-1' };
const openMs = 10_000;
// The only account, where another one plays no part.
const anna = 'acct_anna';
const ben = 'acct_ben';

function openBreaker(failuresMax = 2) {
  const logLines: string[] = [];
  const logger = createLogger('info', { destination: { write: (line: string) => logLines.push(line) } });
  const clock = new FakeClock();
  const breaker = new RouteBreaker(route, { failuresMax, openMs }, logger, clock);
  const begin = (accountId = anna) => breaker.begin(accountId) as AttemptWatch;
  const fail = (code: ErrorCode, retryAfterMs?: number, accountId = anna) =>
    begin(accountId).ended(new AppError(code, 'no', retryAfterMs === undefined ? {} : { retryAfterMs }));
  /** Opens it for all by failures that no request can cause. */
  const open = () => {
    for (let failure = 0; failure < failuresMax; failure += 1)
      begin().ended(new RouteFaultError('provider_error', 'no'));
  };
  /** Opens it, and lets its time go by. */
  const awaitProbe = () => {
    open();
    clock.advanceMs(openMs);
  };
  /** Fails as often as opens it for one account. */
  const shut = (accountId = anna) => {
    for (let failure = 0; failure < failuresMax; failure += 1) fail('provider_error', undefined, accountId);
  };
  const letsIn = (accountId: string) => breaker.isCallable(accountId);
  const countLines = (event: string) => logLines.filter((line) => line.includes(event)).length;
  return { breaker, clock, begin, fail, open, awaitProbe, shut, letsIn, countLines, logLines };
}

describe('RouteBreaker', () => {
  it('opens after so many failures in a row, and an answer between them begins the count anew', () => {
    const { breaker, begin, fail, letsIn } = openBreaker();
    expect(breaker.state).toBe('healthy');
    fail('provider_error');
    expect(breaker.state).toBe('degraded');
    begin().ended(null);
    expect(breaker.state).toBe('healthy');
    fail('provider_error');
    expect(letsIn(anna)).toBe(true);
    fail('provider_timeout', undefined, ben);
    expect(breaker.state).toBe('down');
    expect([letsIn(anna), letsIn(ben)]).toEqual([false, false]);
    expect(breaker.begin(anna)).toBeNull();
  });

  it.each([
    'provider_rejected',
    'unsupported_parameter',
    'internal_error',
    'service_unavailable',
    'model_error',
  ] as const)('does not count %s', (code) => {
    const { breaker, fail } = openBreaker();
    for (let fault = 0; fault < 5; fault += 1) fail(code);
    expect(breaker.state).toBe('healthy');
  });

  it('does not count a caller who has left', () => {
    const { breaker, begin } = openBreaker();
    for (let call = 0; call < 5; call += 1) begin().ended(new Error('The caller has left.'));
    expect(breaker.state).toBe('healthy');
  });

  it('does not count an answer that is still being written when our time for a call is over, but one that has not begun', () => {
    const { breaker, begin } = openBreaker();
    for (let call = 0; call < 5; call += 1) begin().ended(createTotalTimeError('acme'), { hasOutput: true });
    expect(breaker.state).toBe('healthy');
    begin().ended(createTotalTimeError('acme'));
    expect(breaker.state).toBe('degraded');
  });

  it('stays open as long as the provider asks, and opens for it at the first failure', () => {
    const { breaker, clock, fail, letsIn } = openBreaker(5);
    fail('provider_rate_limited', 40_000);
    expect(breaker.findRetryAtMs(anna)).toBe(clock.nowMs() + 40_000);
    clock.advanceMs(39_999);
    expect(letsIn(anna)).toBe(false);
    clock.advanceMs(1);
    expect(letsIn(anna)).toBe(true);
  });

  it('lets one probe out when its time is over, and nobody beside it', () => {
    const { breaker, begin, awaitProbe, letsIn } = openBreaker();
    awaitProbe();
    const probe = begin();
    expect(breaker.state).toBe('degraded');
    expect([letsIn(anna), letsIn(ben)]).toEqual([false, false]);
    expect(breaker.begin(ben)).toBeNull();
    probe.ended(null);
    expect(breaker.state).toBe('healthy');
    expect([letsIn(anna), breaker.findRetryAtMs(anna), breaker.findRetryAtMs(null)]).toEqual([true, null, null]);
  });

  it('does not hold others up for a probe that says nothing for long: others probe beside it, each twice as long later', () => {
    const { breaker, clock, begin, awaitProbe, letsIn } = openBreaker();
    awaitProbe();
    const slow = begin();
    expect([letsIn(anna), letsIn(ben)]).toEqual([false, false]);
    expect(breaker.findRetryAtMs(ben)).toBe(clock.nowMs() + openMs);
    clock.advanceMs(openMs);
    const second = begin(ben);
    expect([letsIn(anna), letsIn(ben), breaker.findRetryAtMs(anna)]).toEqual([
      false,
      false,
      clock.nowMs() + 2 * openMs,
    ]);
    clock.advanceMs(2 * openMs);
    expect(letsIn(anna)).toBe(true);
    slow.answered();
    expect([breaker.state, letsIn(anna), letsIn(ben)]).toEqual(['healthy', true, true]);
    second.ended(new RouteFaultError('provider_error', 'no'));
    expect([breaker.state, letsIn(anna)]).toEqual(['degraded', true]);
  });

  it('waits as long as the provider asked one of two probes, whatever the other comes to', () => {
    const { breaker, clock, begin, awaitProbe } = openBreaker();
    awaitProbe();
    const slow = begin();
    clock.advanceMs(openMs);
    begin(ben).ended(new RouteFaultError('provider_error', 'no', { retryAfterMs: 120_000 }));
    expect(breaker.state).toBe('down');
    const retryAtMs = breaker.findRetryAtMs(null);
    slow.ended(new RouteFaultError('provider_error', 'no'));
    expect(breaker.findRetryAtMs(null)).toBe(retryAtMs);
  });

  it('does not hold its account up for a probe of that account that says nothing for long', () => {
    const { clock, begin, shut, letsIn, breaker } = openBreaker();
    shut();
    clock.advanceMs(openMs);
    const slow = begin();
    expect([letsIn(anna), letsIn(ben)]).toEqual([false, true]);
    clock.advanceMs(openMs);
    expect(letsIn(anna)).toBe(true);
    slow.answered();
    expect(breaker.state).toBe('healthy');
  });

  it('closes when the probe begins to answer, since the rest may take minutes; and counts if that breaks off', () => {
    const { breaker, begin, awaitProbe, letsIn } = openBreaker();
    awaitProbe();
    const probe = begin();
    probe.answered();
    expect(letsIn(ben)).toBe(true);
    probe.ended(new AppError('provider_error', 'broke off'));
    expect(breaker.state).toBe('degraded');
  });

  it('waits twice as long after each probe that fails, five minutes at most, and tells the operator once until it is over', () => {
    const { breaker, clock, begin, open, awaitProbe, countLines } = openBreaker();
    awaitProbe();
    const waitsMs: number[] = [];
    for (let probe = 0; probe < 6; probe += 1) {
      begin().ended(new RouteFaultError('provider_error', 'no'));
      waitsMs.push((breaker.findRetryAtMs(null) ?? 0) - clock.nowMs());
      clock.advanceMs(waitsMs.at(-1) ?? 0);
    }
    expect(waitsMs).toEqual([20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
    expect(countLines('provider_left_alone')).toBe(1);
    begin().ended(null);
    expect(countLines('provider_answers_again')).toBe(1);
    open();
    expect((breaker.findRetryAtMs(null) ?? 0) - clock.nowMs()).toBe(openMs);
  });

  it('closes after a probe that was refused or left by its caller: the provider was there', () => {
    const { breaker, begin, fail, awaitProbe } = openBreaker();
    awaitProbe();
    fail('provider_rejected');
    expect(breaker.state).toBe('healthy');
    awaitProbe();
    begin().ended(new Error('The caller has left.'));
    expect(breaker.state).toBe('healthy');
    awaitProbe();
    begin().ended(new AppError('provider_rate_limited', 'no'), { isOfKey: true });
    expect(breaker.state).toBe('healthy');
  });

  it('lets the next call probe after a probe for which this machine had no connection left', () => {
    const { breaker, begin, fail, awaitProbe, letsIn } = openBreaker();
    awaitProbe();
    fail('service_unavailable');
    expect([breaker.state, letsIn(anna)]).toEqual(['down', true]);
    begin().ended(null);
    expect(breaker.state).toBe('healthy');
  });

  it('waits no longer for failures of attempts that were under way when it opened', () => {
    const { breaker, clock, begin, open } = openBreaker();
    const early = [begin(), begin(ben)];
    open();
    const retryAtMs = breaker.findRetryAtMs(null);
    clock.advanceMs(openMs - 1);
    for (const attempt of early) attempt.ended(new AppError('provider_error', 'no'));
    expect([breaker.state, breaker.findRetryAtMs(null)]).toEqual(['down', retryAtMs]);
  });

  it('waits as long as ever when the clock is set forward or back meanwhile', () => {
    const { breaker, clock, open, letsIn } = openBreaker();
    open();
    clock.setWallMs(clock.nowMs() - 3_600_000);
    expect([letsIn(anna), breaker.findRetryAtMs(null)]).toEqual([false, clock.nowMs() + openMs]);
    clock.setWallMs(clock.nowMs() + 7_200_000);
    clock.advanceMs(openMs - 1);
    expect(letsIn(anna)).toBe(false);
    clock.advanceMs(1);
    expect(letsIn(anna)).toBe(true);
  });
});

describe('RouteBreaker, when the failures are of one account', () => {
  const codes = ['provider_error', 'provider_timeout', 'provider_overloaded', 'provider_rate_limited'] as const;

  it.each([...codes, 'provider_unavailable'] as const)('opens for that account alone after %s', (code) => {
    const { breaker, clock, fail, letsIn, logLines } = openBreaker();
    for (let failure = 0; failure < 2; failure += 1) fail(code);
    expect([letsIn(anna), letsIn(ben)]).toEqual([false, true]);
    expect([breaker.findRetryAtMs(anna), breaker.findRetryAtMs(ben)]).toEqual([clock.nowMs() + openMs, null]);
    // What everybody is told of the route.
    expect([breaker.state, breaker.findRetryAtMs(null)]).toEqual(['degraded', null]);
    expect(logLines.join('')).toContain(`"accountId":"${anna}"`);
  });

  it('opens for all after failures that no request can cause, whoever asked', () => {
    const { breaker, open, letsIn } = openBreaker();
    open();
    expect([breaker.state, letsIn(anna), letsIn(ben)]).toEqual(['down', false, false]);
  });

  it('opens for all when another account fails as well', () => {
    const { breaker, shut, fail, letsIn } = openBreaker();
    shut();
    fail('provider_error', undefined, ben);
    expect([breaker.state, letsIn(anna), letsIn(ben)]).toEqual(['down', false, false]);
  });

  it('lets that account in again when another one is answered whose attempt began since', () => {
    const { breaker, begin, shut, letsIn, countLines } = openBreaker();
    const early = begin(ben);
    shut();
    early.ended(null);
    expect(letsIn(anna)).toBe(false);
    begin(ben).ended(null);
    expect([breaker.state, letsIn(anna)]).toEqual(['healthy', true]);
    expect([countLines('provider_left_alone'), countLines('provider_answers_again')]).toEqual([1, 1]);
  });

  it('has that account wait as long as the provider asked, whoever is answered meanwhile, and nobody else', () => {
    const { breaker, clock, begin, fail, letsIn } = openBreaker(5);
    fail('provider_rate_limited', 40_000);
    begin(ben).ended(null);
    expect([letsIn(anna), letsIn(ben)]).toEqual([false, true]);
    clock.advanceMs(40_000);
    begin(ben).ended(null);
    expect([breaker.state, letsIn(anna)]).toEqual(['healthy', true]);
  });

  it('opens for all at once when the provider asks two accounts to wait', () => {
    const { clock, breaker, fail, letsIn } = openBreaker(5);
    fail('provider_rate_limited', 20_000);
    fail('provider_rate_limited', 40_000, ben);
    expect([letsIn(anna), letsIn(ben), letsIn('acct_cora')]).toEqual([false, false, false]);
    expect(breaker.findRetryAtMs(null)).toBe(clock.nowMs() + 40_000);
  });

  it('protects the only account of a server as it protects all: one probe, and twice the wait after each that fails', () => {
    const { breaker, clock, begin, fail, shut, letsIn, countLines } = openBreaker();
    shut();
    const waitsMs: number[] = [];
    for (let probe = 0; probe < 6; probe += 1) {
      waitsMs.push((breaker.findRetryAtMs(anna) ?? 0) - clock.nowMs());
      clock.advanceMs(waitsMs.at(-1) ?? 0);
      fail('provider_error');
    }
    expect(waitsMs).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000]);
    clock.advanceMs(300_000);
    const probe = begin();
    expect(letsIn(anna)).toBe(false);
    probe.answered();
    expect([breaker.state, letsIn(anna)]).toEqual(['healthy', true]);
    expect([countLines('provider_left_alone'), countLines('provider_answers_again')]).toEqual([1, 1]);
  });

  it('lets it probe again after a probe for which this machine had no connection left', () => {
    const { clock, fail, shut, letsIn } = openBreaker();
    shut();
    clock.advanceMs(openMs);
    fail('service_unavailable');
    expect(letsIn(anna)).toBe(true);
  });

  it('is not kept open for all by probes of one account: the next one of another account decides', () => {
    const { breaker, clock, begin, fail, awaitProbe, letsIn } = openBreaker();
    awaitProbe();
    fail('provider_error');
    expect([breaker.state, letsIn(anna), letsIn(ben)]).toEqual(['down', false, true]);
    begin(ben).ended(null);
    expect([breaker.state, letsIn(anna)]).toEqual(['healthy', true]);

    awaitProbe();
    fail('provider_error');
    fail('provider_error', undefined, ben);
    expect([letsIn(anna), letsIn(ben)]).toEqual([false, false]);
    expect((breaker.findRetryAtMs(null) ?? 0) - clock.nowMs()).toBe(2 * openMs);
  });

  it('does not count against others what was under way when it opened for that account', () => {
    const { breaker, clock, begin, shut, letsIn } = openBreaker();
    const early = [begin(), begin()];
    shut();
    const retryAtMs = breaker.findRetryAtMs(anna);
    clock.advanceMs(openMs - 1);
    for (const attempt of early) attempt.ended(new AppError('provider_error', 'no'));
    expect([letsIn(ben), breaker.findRetryAtMs(anna)]).toEqual([true, retryAtMs]);
  });
});
