import type { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { OperatorSessions } from '../operator/people/operator-sessions.js';
import { FreshFactors } from './fresh-factors.js';

const minuteMs = 60_000;

describe('A fresh proof of who is there', () => {
  const askAccount = (clock: FakeClock, atMs: number) => {
    const parts = {
      clock,
      recovery: { completeIfDue: async () => false },
      factors: { describe: async () => ({ hasAuthenticatorApp: true, passkeys: [{}] }) },
      sessions: { findProof: async () => ({ atMs, by: 'factor' }) },
    };
    const viewer = { accountId: 'acct_1', sessionId: 'ses_1' };
    const rule = { isByCookie: true, isAskedOfAll: true };
    return new FreshFactors(parts as never).require(viewer as never, rule).then(
      () => true,
      () => false,
    );
  };
  const askOperator = async (clock: FakeClock, atMs: number) => {
    const row = { id: 'ops_1', createdAtMs: atMs, lastUsedAtMs: atMs, provedAtMs: atMs, operatorId: 'op_1' };
    const reader = { findOneBy: async () => row };
    const sessions = new OperatorSessions({ reader, transact: async () => {} } as unknown as UnitOfWork, clock);
    // One that was begun by a clock that was ahead has ended.
    return (await sessions.find('token'))?.isFresh ?? false;
  };

  it.each([
    ['of an account', askAccount],
    ['of an operator', askOperator],
  ])('%s is fresh for ten minutes, and not for as long as a clock is set back by', async (_, ask) => {
    const clock = new FakeClock();
    const atMs = clock.nowMs();
    clock.advanceMs(9 * minuteMs);
    expect(await ask(clock, atMs)).toBe(true);
    clock.setWallMs(atMs - 11 * minuteMs);
    expect(await ask(clock, atMs)).toBe(false);
    clock.setWallMs(atMs + 10 * minuteMs);
    expect(await ask(clock, atMs)).toBe(false);
  });
});
