import { hash } from '@node-rs/argon2';
import { Passwords } from './passwords.js';

describe('Passwords', () => {
  it('hashes with argon2id at the agreed cost, and knows the password again', async () => {
    const passwords = new Passwords();
    const hash = await passwords.hashPassword('correct horse');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.isPasswordOf(hash, 'correct horse')).toBe(true);
    for (const other of ['correct horsf', 'Correct horse', 'correct horse ', 'correct hors'])
      expect(await passwords.isPasswordOf(hash, other)).toBe(false);
  });

  it('knows a password again in whichever form the keyboard composes its letters, also where it was hashed as it came', async () => {
    const passwords = new Passwords();
    const [composed, apart] = ['crème brûlée på ö', 'crème brûlée på ö'.normalize('NFD')];
    expect(composed).not.toBe(apart);
    const asCame = await Promise.all([composed, apart].map((text) => hash(text, { memoryCost: 19_456, timeCost: 2 })));
    const hashes = [await passwords.hashPassword(composed), await passwords.hashPassword(apart), ...asCame];
    for (const known of hashes) {
      for (const typed of [composed, apart]) expect(await passwords.isPasswordOf(known, typed)).toBe(true);
      expect(await passwords.isPasswordOf(known, 'creme brulee pa o')).toBe(false);
    }
  });

  it('spends about as long on an unknown account as on a wrong password, and says no', async () => {
    const passwords = new Passwords();
    const hash = await passwords.hashPassword('correct horse');
    // The quickest of several: other work, and a machine that stands still for a moment, only make it longer.
    const measureMs = async (passwordHash: string | null) => {
      let bestMs = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 5; round += 1) {
        const startMs = performance.now();
        expect(await passwords.isPasswordOf(passwordHash, 'wrong')).toBe(false);
        bestMs = Math.min(bestMs, performance.now() - startMs);
      }
      return bestMs;
    };
    expect((await measureMs(null)) / (await measureMs(hash))).toBeGreaterThan(0.3);
  });

  it('keeps 4 running and 32 waiting, and turns the rest away', async () => {
    const passwords = new Passwords();
    const attempts = Array.from({ length: 40 }, () => passwords.isPasswordOf(null, 'x'));
    const results = await Promise.allSettled(attempts);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.length).toBe(4);
    expect(refused[0]?.reason).toMatchObject({ code: 'rate_limit_exceeded', retryAfterMs: 2_000 });
    expect(await passwords.isPasswordOf(null, 'x')).toBe(false);
  });

  it('turns those away first who sign up, then those who sign in on an unknown device, and last those who are known', async () => {
    let turnedAway = 0;
    const passwords = new Passwords(() => {
      turnedAway += 1;
    });
    const outcomes: Promise<string>[] = [];
    const note = (name: string, work: Promise<unknown>) =>
      outcomes.push(
        work.then(
          () => `${name} done`,
          ({ code }) => `${name} ${code}`,
        ),
      );
    for (let at = 0; at < 30; at += 1) note('newcomer', passwords.hashPassword('x', 'newcomer'));
    for (let at = 0; at < 10; at += 1) note('stranger', passwords.isPasswordOf(null, 'x', 'stranger'));
    for (let at = 0; at < 10; at += 1) note('known', passwords.isPasswordOf(null, 'x'));
    const counts: Record<string, number> = {};
    for (const outcome of await Promise.all(outcomes)) counts[outcome] = (counts[outcome] ?? 0) + 1;
    expect(counts).toEqual({
      'newcomer done': 4 + 16,
      'newcomer rate_limit_exceeded': 10,
      'stranger done': 8,
      'stranger rate_limit_exceeded': 2,
      'known done': 8,
      'known rate_limit_exceeded': 2,
    });
    expect(turnedAway).toBe(14);
  });
});
