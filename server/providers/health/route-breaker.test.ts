import { AppError, type ErrorCode } from '../../kernel/app-error.js';
import { FakeClock } from '../../kernel/clock.js';
import { createLogger } from '../../kernel/logger.js';
import { type AttemptWatch, RouteBreaker } from './route-breaker.js';

const route = { providerId: 'acme', upstreamModel: 'm-1' };
const openMs = 10_000;

function openBreaker(failuresMax = 2) {
  const logLines: string[] = [];
  const logger = createLogger('info', { destination: { write: (line: string) => logLines.push(line) } });
  const clock = new FakeClock();
  const breaker = new RouteBreaker(route, { failuresMax, openMs }, logger, clock);
  const begin = () => breaker.begin() as AttemptWatch;
  const fail = (code: ErrorCode, retryAfterMs?: number) =>
    begin().ended(new AppError(code, 'no', retryAfterMs === undefined ? {} : { retryAfterMs }));
  /** Opens it, and lets its time go by. */
  const awaitProbe = () => {
    for (let failure = 0; failure < failuresMax; failure += 1) fail('provider_error');
    clock.advanceMs(openMs);
  };
  return { breaker, clock, begin, fail, awaitProbe, logLines };
}

describe('RouteBreaker', () => {
  it('opens after so many failures in a row, and an answer between them begins the count anew', () => {
    const { breaker, begin, fail } = openBreaker();
    expect(breaker.state).toBe('healthy');
    fail('provider_error');
    expect(breaker.state).toBe('degraded');
    begin().ended(null);
    expect(breaker.state).toBe('healthy');
    fail('provider_error');
    expect(breaker.isCallable).toBe(true);
    fail('provider_timeout');
    expect(breaker).toMatchObject({ state: 'down', isCallable: false });
    expect(breaker.begin()).toBeNull();
  });

  it.each(['provider_rejected', 'unsupported_parameter', 'internal_error', 'service_unavailable'] as const)(
    'does not count %s',
    (code) => {
      const { breaker, fail } = openBreaker();
      for (let fault = 0; fault < 5; fault += 1) fail(code);
      expect(breaker.state).toBe('healthy');
    },
  );

  it('does not count a caller who has left', () => {
    const { breaker, begin } = openBreaker();
    for (let call = 0; call < 5; call += 1) begin().ended(new Error('The caller has left.'));
    expect(breaker.state).toBe('healthy');
  });

  it('stays open as long as the provider asks, and opens for it at the first failure', () => {
    const { breaker, clock, fail } = openBreaker(5);
    fail('provider_rate_limited', 40_000);
    expect(breaker).toMatchObject({ state: 'down', retryAtMs: clock.nowMs() + 40_000 });
    clock.advanceMs(39_999);
    expect(breaker.isCallable).toBe(false);
    clock.advanceMs(1);
    expect(breaker.isCallable).toBe(true);
  });

  it('lets one probe out when its time is over, and nobody beside it', () => {
    const { breaker, begin, awaitProbe } = openBreaker();
    awaitProbe();
    const probe = begin();
    expect(breaker).toMatchObject({ state: 'degraded', isCallable: false });
    expect(breaker.begin()).toBeNull();
    probe.ended(null);
    expect(breaker).toMatchObject({ state: 'healthy', isCallable: true, retryAtMs: null });
  });

  it('closes when the probe begins to answer, since the rest may take minutes; and counts if that breaks off', () => {
    const { breaker, begin, awaitProbe } = openBreaker();
    awaitProbe();
    const probe = begin();
    probe.answered();
    expect(breaker.isCallable).toBe(true);
    probe.ended(new AppError('provider_error', 'broke off'));
    expect(breaker.state).toBe('degraded');
  });

  it('waits twice as long after each probe that fails, five minutes at most, and tells the operator once until it is over', () => {
    const { breaker, clock, fail, begin, awaitProbe, logLines } = openBreaker();
    awaitProbe();
    const waitsMs: number[] = [];
    for (let probe = 0; probe < 6; probe += 1) {
      fail('provider_error');
      waitsMs.push((breaker.retryAtMs ?? 0) - clock.nowMs());
      clock.advanceMs(waitsMs.at(-1) ?? 0);
    }
    expect(waitsMs).toEqual([20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
    expect(logLines.filter((line) => line.includes('provider_left_alone'))).toHaveLength(1);
    begin().ended(null);
    expect(logLines.filter((line) => line.includes('provider_answers_again'))).toHaveLength(1);
    fail('provider_error');
    fail('provider_error');
    expect((breaker.retryAtMs ?? 0) - clock.nowMs()).toBe(openMs);
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
    begin().ended(new AppError('provider_rate_limited', 'no'), true);
    expect(breaker.state).toBe('healthy');
  });

  it('lets the next call probe after a probe for which this machine had no connection left', () => {
    const { breaker, begin, fail, awaitProbe } = openBreaker();
    awaitProbe();
    fail('service_unavailable');
    expect(breaker).toMatchObject({ state: 'down', isCallable: true });
    begin().ended(null);
    expect(breaker.state).toBe('healthy');
  });

  it('waits no longer for failures of attempts that were under way when it opened', () => {
    const { breaker, clock, begin, fail } = openBreaker();
    const early = [begin(), begin()];
    fail('provider_error');
    fail('provider_error');
    const retryAtMs = breaker.retryAtMs;
    clock.advanceMs(openMs - 1);
    for (const attempt of early) attempt.ended(new AppError('provider_error', 'no'));
    expect(breaker).toMatchObject({ state: 'down', retryAtMs });
  });

  it('waits as long as ever when the clock is set forward or back meanwhile', () => {
    const { breaker, clock, fail } = openBreaker();
    fail('provider_error');
    fail('provider_error');
    clock.setWallMs(clock.nowMs() - 3_600_000);
    expect(breaker).toMatchObject({ isCallable: false, retryAtMs: clock.nowMs() + openMs });
    clock.setWallMs(clock.nowMs() + 7_200_000);
    clock.advanceMs(openMs - 1);
    expect(breaker.isCallable).toBe(false);
    clock.advanceMs(1);
    expect(breaker.isCallable).toBe(true);
  });
});
