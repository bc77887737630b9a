import { AppError } from '../kernel/app-error.js';
import { FakeClock } from '../kernel/clock.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { makePurchasesParts } from '../test/purchases-parts.js';
import { GiftCodes } from './gift-codes.js';

const dayMs = 24 * 60 * 60 * 1_000;

describeOnEachDatabase('gift codes', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let clock: FakeClock;
  let gifts: GiftCodes;
  let accountId: string;

  beforeEach(async () => {
    clock = new FakeClock();
    gifts = open();
    accountId = (await fixture.createFundedAccount(0)).accountId;
  });

  const open = () => new GiftCodes(makePurchasesParts(fixture, clock));
  const make = async (change: object = {}) => {
    const input = { creditsMillicredits: toMillicredits(500_000), count: 1, expiresAtMs: null, ...change };
    const [gift] = await gifts.create(input);
    if (!gift) throw new Error('One gift was asked for.');
    return gift;
  };
  const redeem = (code: string, claimant = accountId, address = '192.0.2.1') =>
    gifts.redeem({ accountId: claimant, address, code });
  const posted = async (id = accountId) => (await fixture.findWallet(id)).posted;

  it('brings its credits once, however it is typed, and keeps only a hash of itself', async () => {
    const { code } = await make();
    expect(code).toMatch(/^([2-9A-HJKMNP-Z]{5}-){3}[2-9A-HJKMNP-Z]{5}$/);
    expect(await redeem(` ${code.toLowerCase().replaceAll('-', ' ')} `)).toEqual({ creditsMillicredits: 500_000 });
    await redeem(code);
    expect(await posted()).toBe(500_000);
    const rows = JSON.stringify(await fixture.source.query('SELECT * FROM gift_code'));
    expect(rows).not.toContain(code);
    expect(rows).not.toContain(code.replaceAll('-', ''));
  });

  it('makes one grant of fifty claims at once, by as many accounts on four instances', async () => {
    const { code } = await make();
    const claimants = await Promise.all(Array.from({ length: 50 }, () => fixture.createFundedAccount(0)));
    const instances = [gifts, open(), open(), open()];
    const claims = claimants.map(({ accountId: claimant }, index) =>
      (instances[index % 4] as GiftCodes).redeem({ accountId: claimant, address: `192.0.2.${index}`, code }),
    );
    const outcomes = await Promise.allSettled(claims);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await fixture.countRows('ledger_transfer', "type = 'grant'")).toBe(1);
    const winner = claimants[outcomes.findIndex(({ status }) => status === 'fulfilled')];
    expect(await posted(winner?.accountId)).toBe(500_000);
  });

  it('makes one grant of fifty claims at once by one account', async () => {
    const { code } = await make();
    await Promise.allSettled(Array.from({ length: 50 }, (_, index) => redeem(code, accountId, `192.0.2.${index}`)));
    expect(await posted()).toBe(500_000);
  });

  it('says the same of a wrong, a claimed, a revoked and an expired code', async () => {
    const claimed = await make();
    await redeem(claimed.code);
    const revoked = await make();
    expect(await gifts.revoke(revoked.id)).toBe(true);
    expect(await gifts.revoke(revoked.id)).toBe(false);
    expect(await gifts.revoke(claimed.id)).toBe(false);
    const expired = await make({ expiresAtMs: clock.nowMs() + dayMs });
    clock.advanceMs(dayMs);
    const stranger = (await fixture.createFundedAccount(0)).accountId;
    const codes = ['AAAAA-AAAAA-AAAAA-AAAAA', '', claimed.code, revoked.code, expired.code];
    const refusals = await Promise.all(
      codes.map((code) => redeem(code, stranger).catch((error: Error) => error.message)),
    );
    expect(new Set(refusals).size).toBe(1);
    expect(String(refusals[0])).toMatch(/cannot be redeemed/);
    expect(await posted(stranger)).toBe(0);
  });

  it('lets an account guess ten times an hour and an address thirty times, and right codes cost nothing', async () => {
    for (let round = 0; round < 12; round += 1) await redeem((await make()).code);
    for (let guess = 0; guess < 10; guess += 1)
      await expect(redeem('WRONG')).rejects.toMatchObject({ code: 'not_found' });
    await expect(redeem((await make()).code)).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    for (let guess = 0; guess < 19; guess += 1) await redeem('WRONG', `acct_${guess}`).catch(() => {});
    await redeem('WRONG', 'acct_another').catch(() => {});
    await expect(redeem('WRONG', 'acct_last')).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    expect(await posted()).toBe(12 * 500_000);
  });

  it('counts as wrong what is wrong: no code that the database kept from being claimed, and none that was not looked at', async () => {
    const parts = makePurchasesParts(fixture, clock);
    const away = new AppError('service_unavailable', 'The database is away.');
    let isAway = true;
    const grantCredits: typeof parts.ledger.grantCredits = async (input) => {
      if (isAway) throw away;
      return parts.ledger.grantCredits(input);
    };
    gifts = new GiftCodes({ ...parts, ledger: { grantCredits } });
    const { code } = await make();
    for (let press = 0; press < 11; press += 1) await expect(redeem(code)).rejects.toBe(away);
    isAway = false;
    expect(await redeem(code)).toEqual({ creditsMillicredits: 500_000 });
    for (let guess = 0; guess < 40; guess += 1) await redeem('WRONG').catch(() => {});
    const colleague = await fixture.createFundedAccount(0);
    expect(await redeem((await make()).code, colleague.accountId)).toEqual({ creditsMillicredits: 500_000 });
  });

  it('each of many right codes of one account at once brings its credits', async () => {
    const codes = await Promise.all(Array.from({ length: 24 }, () => make()));
    const instances = [gifts, open()];
    await Promise.all(codes.map(({ code }, n) => instances[n % 2]?.redeem({ accountId, address: '192.0.2.1', code })));
    expect(await posted()).toBe(24 * 500_000);
  });

  it('says of an account that cannot take its credits that it is so, and stays open for another', async () => {
    const amountMillicredits = toMillicredits(8_000_000_000_000_000);
    await fixture.ledger.grantCredits({ transferId: 'x', accountId, type: 'dispute_reversal', amountMillicredits });
    const { code } = await make();
    const full = { code: 'conflict', message: expect.stringContaining('cannot take these credits') };
    await expect(redeem(code)).rejects.toMatchObject(full);
    const other = await fixture.createFundedAccount(0);
    expect(await redeem(code, other.accountId)).toEqual({ creditsMillicredits: 500_000 });
  });

  it.each([
    [{ count: 0 }, 'count'],
    [{ count: 1_001 }, 'count'],
    [{ creditsMillicredits: 0 }, 'credits'],
    [{ creditsMillicredits: 1_000_000_000_001 }, 'credits'],
    [{ expiresAtMs: 1 }, 'expiresAt'],
  ])('makes none of %j', async (change, param) => {
    await expect(make(change)).rejects.toMatchObject({ code: 'invalid_value', param });
    expect(await fixture.countRows('gift_code')).toBe(0);
  });
});
