import { MemoryAttemptCounter } from '../../kernel/attempt-counter.js';
import { PasswordsBusyError } from './passwords.js';
import { SignInThrottle } from './sign-in-throttle.js';

const quarterMs = 15 * 60_000;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('SignInThrottle', () => {
  let nowMs: number;
  let throttle: SignInThrottle;
  let counters: Map<string, MemoryAttemptCounter>;
  /** Each is one of another instance, with the counters that all share. */
  const openThrottle = () =>
    new SignInThrottle((rule) => {
      const counter = counters.get(rule.kind) ?? new MemoryAttemptCounter(rule, { nowMs: () => nowMs });
      counters.set(rule.kind, counter);
      return counter;
    }, turn);
  beforeEach(() => {
    nowMs = 0;
    counters = new Map();
    throttle = openThrottle();
  });

  const attempt = (n: number, deviceId: string | null = null, emailNormalised = 'ada@example.com') => ({
    emailNormalised,
    address: `198.51.${n >> 8}.${n & 255}`,
    deviceId,
  });
  const fail = (tried: ReturnType<typeof attempt>, onTry = () => {}) =>
    throttle.run(tried, async () => {
      onTry();
      throw new Error('wrong');
    });
  const isPassed = async (tried: ReturnType<typeof attempt>) => {
    let isTried = false;
    await fail(tried, () => {
      isTried = true;
    }).catch(() => {});
    return isTried;
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
    for (let n = 0; n < 9; n += 1) await isPassed(attempt(1));
    await throttle.run(attempt(2), async () => {});
    expect(await countPassed(attempt(1))).toBe(1);
    expect(await countPassed(attempt(2))).toBe(3);
  });

  it.each([null, 'acct_1 a-device'])(
    'counts no attempt for which there was no room to compare a password, from %s',
    async (deviceId) => {
      const turnAway = () =>
        throttle.run(attempt(1, deviceId), async () => {
          throw new PasswordsBusyError();
        });
      for (let times = 0; times < 30; times += 1) await expect(turnAway()).rejects.toThrow('Too many people');
      expect(await countPassed(attempt(1, deviceId))).toBe(10);
    },
  );

  it('forgets after fifteen minutes, and says until when to wait', async () => {
    await countPassed(attempt(1));
    nowMs = quarterMs - 60_000;
    await expect(fail(attempt(1))).rejects.toThrow('Try again in 1 minute(s).');
    nowMs = quarterMs;
    expect(await countPassed(attempt(1))).toBe(10);
  });

  it('says when to come again by the later of its windows, where both are full', async () => {
    for (let n = 0; n < 5; n += 1) await isPassed(attempt(1, null, `${n}@example.com`));
    nowMs = 10 * 60_000;
    // By others, after whom each network is granted three.
    expect(await countPassed(attempt(2))).toBe(10);
    expect(await countPassed(attempt(1))).toBe(3);
    for (let n = 0; n < 2; n += 1) await isPassed(attempt(1, null, `${n}@example.com`));
    await expect(fail(attempt(1))).rejects.toThrow('Try again in 15 minute(s).');
    await expect(fail(attempt(1, null, 'grace@example.com'))).rejects.toThrow('Try again in 5 minute(s).');
  });

  it('counts a household of IPv6 as one network', async () => {
    const from = (host: string) => ({ ...attempt(0), address: `2001:db8:1:2${host}::7` });
    for (let n = 0; n < 10; n += 1) await isPassed(from(`0${n}`));
    expect(await isPassed(from('ff'))).toBe(false);
  });

  describe('of attempts side by side on two instances', () => {
    const office = (n: number) => ({ ...attempt(1), emailNormalised: `person-${n}@example.com` });
    const many = Array.from({ length: 40 }, (_, n) => n);
    const turns = async (count: number) => {
      for (let n = 0; n < count; n += 1) await turn();
    };
    it.each<[string, (n: number) => ReturnType<typeof attempt>]>([
      ['of an office', office],
      ['of one account', () => attempt(1)],
      ['of one device', () => attempt(1, 'acct_1 a-device')],
    ])('lets in all that are right: %s', async (_, attemptOf) => {
      const throttles = [throttle, openThrottle()];
      let runningMost = 0;
      let running = 0;
      const signIn = (n: number) =>
        throttles[n % 2]?.run(attemptOf(n), async () => {
          running += 1;
          runningMost = Math.max(runningMost, running);
          await turns(3);
          running -= 1;
          return n;
        });
      expect(await Promise.all(many.map(signIn))).toEqual(many);
      expect(runningMost).toBeLessThanOrEqual(10);
      expect(await countPassed(attemptOf(0))).toBe(10);
    });

    it('tries no more wrong passwords than one after the other, and says how long to wait', async () => {
      const throttles = [throttle, openThrottle()];
      let tried = 0;
      const guess = (n: number) =>
        throttles[n % 2]?.run(office(n), async () => {
          tried += 1;
          await turns(3);
          throw new Error('wrong');
        });
      const told = await Promise.all(many.map((n) => guess(n)?.catch((error: Error) => error.message)));
      expect(tried).toBe(10);
      expect(told.filter((words) => words === 'wrong')).toHaveLength(10);
      expect(new Set(told)).toEqual(new Set(['wrong', 'Too many failed sign-ins. Try again in 15 minute(s).']));
    });

    it('refuses in words of their own, for two seconds, what finds no room among those that run, and counts it as nothing', async () => {
      let finish: () => void = () => {};
      const end = new Promise<void>((resolve) => {
        finish = resolve;
      });
      const slow = many.slice(0, 10).map((n) => throttle.run(office(n), () => end));
      await turns(5);
      const other = openThrottle();
      await expect(other.run(office(11), async () => {})).rejects.toMatchObject({
        message: 'Too many attempts at once. Try again in 2 s.',
        retryAfterMs: 2_000,
      });
      finish();
      await Promise.all(slow);
      expect(await other.run(office(11), async () => 'let in')).toBe('let in');
      expect(await countPassed(office(12))).toBe(10);
    });
  });
});
