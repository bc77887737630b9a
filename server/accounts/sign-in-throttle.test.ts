import { SignInThrottle } from './sign-in-throttle.js';

const quarterMs = 15 * 60_000;

describe('SignInThrottle', () => {
  let nowMs: number;
  let throttle: SignInThrottle;
  beforeEach(() => {
    nowMs = 0;
    throttle = new SignInThrottle(() => nowMs);
  });

  const attempt = (n: number, deviceId: string | null = null, emailNormalised = 'ada@example.com') => ({
    emailNormalised,
    address: `198.51.${n >> 8}.${n & 255}`,
    deviceId,
  });
  const isPassed = (tried: ReturnType<typeof attempt>) => {
    try {
      throttle.countAttempt(tried);
      return true;
    } catch {
      return false;
    }
  };
  const countPassed = (tried: ReturnType<typeof attempt>) => {
    let count = 0;
    while (count < 20 && isPassed(tried)) count += 1;
    return count;
  };

  it('grants each network fewer guesses, the more networks guess at one account, and never none', () => {
    expect(countPassed(attempt(0))).toBe(10);
    expect(countPassed(attempt(1))).toBe(3);
    for (let n = 2; n < 40; n += 1) countPassed(attempt(n));
    expect(countPassed(attempt(40))).toBe(1);
    for (let n = 41; n < 5_000; n += 1) expect(isPassed(attempt(n))).toBe(true);
    expect(countPassed(attempt(5_000, null, 'grace@example.com'))).toBe(10);
  });

  it('keeps the way of a known device open, whatever others do, and bounds it by itself', () => {
    for (let n = 0; n < 1_000; n += 1) countPassed(attempt(n));
    expect(isPassed(attempt(0))).toBe(false);
    expect(countPassed(attempt(0, 'acct_1 a-device'))).toBe(10);
    expect(countPassed(attempt(0, 'acct_1 another'))).toBe(10);
  });

  it('forgets the failures of a place from which the right password came, and of no other', () => {
    for (let n = 0; n < 9; n += 1) throttle.countAttempt(attempt(1));
    throttle.countAttempt(attempt(2));
    throttle.forgive(attempt(2));
    expect(countPassed(attempt(1))).toBe(1);
    expect(countPassed(attempt(2))).toBe(3);
  });

  it('forgets after fifteen minutes, and says until when to wait', () => {
    countPassed(attempt(1));
    nowMs = quarterMs - 60_000;
    expect(() => throttle.countAttempt(attempt(1))).toThrow('Try again in 1 minute(s).');
    nowMs = quarterMs;
    expect(countPassed(attempt(1))).toBe(10);
  });

  it('counts a household of IPv6 as one network', () => {
    const from = (host: string) => ({ ...attempt(0), address: `2001:db8:1:2${host}::7` });
    for (let n = 0; n < 10; n += 1) throttle.countAttempt(from(`0${n}`));
    expect(isPassed(from('ff'))).toBe(false);
  });
});
