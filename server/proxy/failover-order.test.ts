import { AppError } from '../kernel/app-error.js';
import { FakeClock } from '../kernel/clock.js';
import { Secret } from '../kernel/secret.js';
import { KeyCooling } from '../providers/health/key-cooling.js';
import { KeyRing } from '../providers/key-ring.js';
import type { HttpTarget, UpstreamTarget } from '../providers/provider-adapter.js';
import { FailoverOrder } from './failover-order.js';

const limited = new AppError('provider_rate_limited', 'Too many', { retryAfterMs: 7_000 });
const refused = new AppError('provider_unavailable', 'Refused');
const failed = new AppError('provider_error', 'Failed');

function prepare(keyNames: readonly string[], random = () => 0) {
  const clock = new FakeClock();
  const cooling = new KeyCooling();
  const keys = keyNames.map((id) => ({ id, secret: new Secret(id), weight: id === 'heavy' ? 3 : 1 }));
  const route = { kind: 'http', providerId: 'a', upstreamModel: 'm', apiKey: null } as unknown as HttpTarget;
  const keyed: HttpTarget = { ...route, keys: new KeyRing(keys, cooling, random) };
  const plain: UpstreamTarget = { ...route, providerId: 'b' };
  const turns = (accountId = 'anna') => new FailoverOrder([keyed, plain], accountId, clock);
  const keyOf = (target: UpstreamTarget | null) => (target?.kind === 'http' ? (target.apiKey?.reveal() ?? null) : null);
  return { clock, turns, keyOf };
}

describe('The turns of one call', () => {
  it('give each key of a target once while keys are refused, then the next target', () => {
    const { turns, keyOf } = prepare(['one', 'two']);
    const call = turns();
    expect(keyOf(call.next())).toBe('one');
    expect(call.noteFailure(limited)).toBe(true);
    expect(keyOf(call.next())).toBe('two');
    expect(call.noteFailure(refused)).toBe(false);
    expect(call.next()?.providerId).toBe('b');
    expect(call.noteFailure(limited)).toBe(false);
    expect(call.next()).toBeNull();
  });

  it('go to the next target at once for a failure that no other key would mend, or when the target is skipped', () => {
    const { turns } = prepare(['one', 'two']);
    for (const leave of [
      (call: FailoverOrder) => call.noteFailure(failed),
      (call: FailoverOrder) => call.skipTarget(),
    ]) {
      const call = turns();
      call.next();
      leave(call);
      expect(call.next()?.providerId).toBe('b');
    }
  });

  it('leave a key alone for as long as its provider asks, or for five minutes when it is refused, in later calls too', () => {
    const { clock, turns, keyOf } = prepare(['one', 'two']);
    const call = turns();
    call.next();
    call.noteFailure(limited);
    clock.advanceMs(6_999);
    expect(keyOf(turns().next())).toBe('two');
    clock.advanceMs(1);
    const again = turns();
    expect(keyOf(again.next())).toBe('one');
    again.noteFailure(refused);
    clock.advanceMs(5 * 60_000 - 1);
    expect(keyOf(turns().next())).toBe('two');
    clock.advanceMs(1);
    expect(keyOf(turns().next())).toBe('one');
  });

  it('give another account the key that was refused to the first, and each the key that was answered since', () => {
    const { turns, keyOf } = prepare(['one', 'two']);
    const call = turns('anna');
    call.next();
    call.noteFailure(refused);
    expect(keyOf(turns('anna').next())).toBe('two');
    const other = turns('ben');
    expect(keyOf(other.next())).toBe('one');
    other.noteAnswer();
    expect(keyOf(turns('anna').next())).toBe('one');
  });

  it('go by the time that passed, wherever the wall clock is set meanwhile', () => {
    const { clock, turns, keyOf } = prepare(['one', 'two']);
    const call = turns();
    call.next();
    call.noteFailure(limited);
    clock.setWallMs(clock.nowMs() + 86_400_000);
    expect(keyOf(turns().next())).toBe('two');
    clock.setWallMs(clock.nowMs() - 2 * 86_400_000);
    clock.advanceMs(7_000);
    expect(keyOf(turns().next())).toBe('one');
  });

  it('ask with the key that is soonest free where all cool down: whether it is asked, the breaker says', () => {
    const { turns, keyOf } = prepare(['one', 'two']);
    const call = turns();
    call.next();
    call.noteFailure(refused);
    call.next();
    call.noteFailure(limited);
    expect(keyOf(turns().next())).toBe('two');
  });

  it('share calls among keys by their weights', () => {
    let drawn = 0;
    const { turns, keyOf } = prepare(['one', 'heavy'], () => drawn);
    const asked = [0, 0.2, 0.26, 0.5, 0.99].map((share) => {
      drawn = share;
      return keyOf(turns().next());
    });
    expect(asked).toEqual(['one', 'one', 'heavy', 'heavy', 'heavy']);
  });
});
