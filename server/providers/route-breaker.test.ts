import { setTimeout as sleep, setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { AppError, type ErrorCode } from '../kernel/app-error.js';
import { createLogger } from '../kernel/logger.js';
import { type AttemptWatch, RouteBreaker } from './route-breaker.js';

const route = { providerId: 'acme', upstreamModel: 'm-1' };
// Long enough that no test sees its end, and short enough that each can.
const never = 60_000;
const atOnce = 1;

/** The library under it takes a few turns of the event loop to hear, however long each of them is. */
async function letHear(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await turnOfTheLoop();
}

function openBreaker(openMs: number, failuresMax = 2) {
  const logLines: string[] = [];
  const logger = createLogger('info', { destination: { write: (line: string) => logLines.push(line) } });
  const breaker = new RouteBreaker(route, { failuresMax, openMs }, logger);
  const begin = () => breaker.begin() as AttemptWatch;
  const end = async (watch: AttemptWatch, error: unknown) => {
    watch.ended(error);
    await letHear();
  };
  const fail = (code: ErrorCode, retryAfterMs?: number) =>
    end(begin(), new AppError(code, 'no', retryAfterMs === undefined ? {} : { retryAfterMs }));
  return { breaker, begin, end, fail, logLines };
}

describe('RouteBreaker', () => {
  it('opens after so many failures in a row, and an answer between them begins the count anew', async () => {
    const { breaker, begin, end, fail } = openBreaker(never);
    expect(breaker.state).toBe('healthy');
    await fail('provider_error');
    expect(breaker.state).toBe('degraded');
    await end(begin(), null);
    expect(breaker.state).toBe('healthy');
    await fail('provider_error');
    expect(breaker.isCallable).toBe(true);
    await fail('provider_timeout');
    expect(breaker).toMatchObject({ state: 'down', isCallable: false });
    expect(breaker.begin()).toBeNull();
  });

  it.each(['provider_rejected', 'unsupported_parameter', 'internal_error'] as const)(
    'does not count %s',
    async (code) => {
      const { breaker, fail } = openBreaker(never);
      for (let fault = 0; fault < 5; fault += 1) await fail(code);
      expect(breaker.state).toBe('healthy');
    },
  );

  it('does not count a caller who has left', async () => {
    const { breaker, begin, end } = openBreaker(never);
    for (let call = 0; call < 5; call += 1) await end(begin(), new Error('The caller has left.'));
    expect(breaker.state).toBe('healthy');
  });

  it('stays open as long as the provider asks, and opens for it at the first failure', async () => {
    const { breaker, fail } = openBreaker(atOnce, 5);
    const beforeMs = Date.now();
    await fail('provider_rate_limited', 40_000);
    expect(breaker.state).toBe('down');
    expect(breaker.retryAtMs).toBeGreaterThanOrEqual(beforeMs + 40_000);
  });

  it('lets one probe out when its time is over, and nobody beside it', async () => {
    const { breaker, begin, end, fail } = openBreaker(atOnce);
    await fail('provider_error');
    await fail('provider_error');
    while (!breaker.isCallable) await sleep(1);
    const probe = begin();
    expect(breaker).toMatchObject({ state: 'degraded', isCallable: false });
    expect(breaker.begin()).toBeNull();
    await end(probe, null);
    expect(breaker).toMatchObject({ state: 'healthy', isCallable: true, retryAtMs: null });
  });

  it('closes when the probe begins to answer, since the rest may take minutes; and counts if that breaks off', async () => {
    const { breaker, begin, end, fail } = openBreaker(atOnce);
    await fail('provider_error');
    await fail('provider_error');
    while (!breaker.isCallable) await sleep(1);
    const probe = begin();
    probe.answered();
    await letHear();
    expect(breaker.isCallable).toBe(true);
    await end(probe, new AppError('provider_error', 'broke off'));
    expect(breaker.state).toBe('degraded');
  });

  it('waits longer after each probe that fails, and tells the operator once until it is over', async () => {
    const { breaker, fail, logLines, begin, end } = openBreaker(8);
    await fail('provider_error');
    await fail('provider_error');
    const waitsMs: number[] = [];
    for (let probe = 0; probe < 3; probe += 1) {
      while (!breaker.isCallable) await sleep(1);
      const failedAtMs = Date.now();
      await fail('provider_error');
      waitsMs.push((breaker.retryAtMs ?? 0) - failedAtMs);
    }
    expect(waitsMs[0]).toBeGreaterThanOrEqual(16);
    expect(waitsMs[2]).toBeGreaterThanOrEqual(64);
    expect(logLines.filter((line) => line.includes('provider_left_alone'))).toHaveLength(1);
    while (!breaker.isCallable) await sleep(1);
    await end(begin(), null);
    expect(logLines.filter((line) => line.includes('provider_answers_again'))).toHaveLength(1);
  });
});
