import { MemoryAttemptCounter } from '../../kernel/attempt-counter.js';
import { SignInThrottle } from './sign-in-throttle.js';

const quarterMs = 15 * 60_000;

describe('SignInThrottle', () => {
  let nowMs: number;
  let throttle: SignInThrottle;
  beforeEach(() => {
    nowMs = 0;
    throttle = new SignInThrottle((rule) => new MemoryAttemptCounter(rule, { nowMs: () => nowMs }));
  });

  const attempt = (n: number, deviceId: string | null = null, emailNormalised = 'ada@example.com') => ({
    emailNormalised,
    address: `198.51.${n >> 8}.${n & 255}`,
    deviceId,
  });
  const isPassed = async (tried: ReturnType<typeof attempt>) => {
    try {
      await throttle.countAttempt(tried);
      return true;
    } catch {
      return false;
    }
  };
  const countPassed = async (tried: ReturnType<typeof attempt>) => {
    let count = 0;
    while (count < 20 && (await isPassed(tried))) count += 1;
    return count;
  };

  it('grants each network fewer guesses, the more networks guess at one account, and never none', async () => {
    expect(await countPassed(attempt(0))).toBe(10);
    expect(await countPassed(attempt(1))).toBe(3);
    for (let n = 2; n < 40; n += 1) await countPassed(attempt(n));
    expect(await countPassed(attempt(40))).toBe(1);
    for (let n = 41; n < 5_000; n += 1) expect(await isPassed(attempt(n))).toBe(true);
    expect(await countPassed(attempt(5_000, null, 'grace@example.com'))).toBe(10);
  });

  it('keeps the way of a known device open, whatever others do, and bounds it by itself', async () => {
    for (let n = 0; n < 1_000; n += 1) await countPassed(attempt(n));
    expect(await isPassed(attempt(0))).toBe(false);
    expect(await countPassed(attempt(0, 'acct_1 a-device'))).toBe(10);
    expect(await countPassed(attempt(0, 'acct_1 another'))).toBe(10);
  });

  it('forgets the failures of a place from which the right password came, and of no other', async () => {
    for (let n = 0; n < 9; n += 1) await throttle.countAttempt(attempt(1));
    await throttle.countAttempt(attempt(2));
    await throttle.forgive(attempt(2));
    expect(await countPassed(attempt(1))).toBe(1);
    expect(await countPassed(attempt(2))).toBe(3);
  });

  it('forgets after fifteen minutes, and says until when to wait', async () => {
    await countPassed(attempt(1));
    nowMs = quarterMs - 60_000;
    await expect(throttle.countAttempt(attempt(1))).rejects.toThrow('Try again in 1 minute(s).');
    nowMs = quarterMs;
    expect(await countPassed(attempt(1))).toBe(10);
  });

  it('counts a household of IPv6 as one network', async () => {
    const from = (host: string) => ({ ...attempt(0), address: `2001:db8:1:2${host}::7` });
    for (let n = 0; n < 10; n += 1) await throttle.countAttempt(from(`0${n}`));
    expect(await isPassed(from('ff'))).toBe(false);
  });
});
