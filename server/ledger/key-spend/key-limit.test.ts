import { createId } from '../../kernel/ids.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { describeOnEachDatabase, describeOnMysql } from '../../test/each-database.js';
import { endingWith, factsAt, holdOf, LedgerFixture } from '../../test/ledger-fixture.js';
import { toReadStatements } from '../commits/mysql-ledger-sql.js';

const saturday = Date.UTC(2026, 0, 31, 12);
const sunday = Date.UTC(2026, 1, 1);
const monday = Date.UTC(2026, 1, 2);

describeOnEachDatabase('The spend limit of a key', (openTestDatabase) => {
  // Leases that are over at once let any open hold be expired.
  const fixture = LedgerFixture.forEach(openTestDatabase, { leaseMs: -60_000, graceMs: 0 });
  let account: Awaited<ReturnType<LedgerFixture['createFundedAccount']>>;

  beforeEach(async () => {
    account = await fixture.createFundedAccount(10_000);
  });

  const limit = (millicredits: number | null, period: 'day' | 'week' | 'month' = 'day') =>
    fixture.limitKey(account, millicredits === null ? null : { millicredits, period });
  const hold = async (amount: number, { startedAtMs = saturday, acceptFrom = amount } = {}) => {
    const callId = createId('call');
    const result = await fixture.ledger.placeHold({
      callId,
      ...account,
      facts: { ...factsAt(1), startedAtMs },
      amountMillicredits: toMillicredits(amount),
      acceptFromMillicredits: toMillicredits(acceptFrom),
    });
    return { callId, ...result };
  };
  const settle = (callId: string, tokens: number) =>
    fixture.ledger.settleHold({ callId, accountId: account.accountId, ending: endingWith(tokens, 0) });
  const counters = async () => {
    const rows = await fixture.source.query('SELECT * FROM key_spend ORDER BY period');
    return Object.fromEntries(
      rows.map((row: Record<string, unknown>) => [
        row.period,
        [Number(row.spent_millicredits), Number(row.pending_millicredits), Number(row.excess_millicredits)],
      ]),
    );
  };

  it('refuses what it does not cover, says how it stands, and leaves other keys and the wallet alone', async () => {
    await limit(1_000);
    const { callId } = await hold(700);
    await settle(callId, 600);
    await hold(300);
    expect(await hold(101)).toMatchObject({
      status: 'refused',
      reason: 'key_limit_reserved',
      availableMillicredits: 9_100,
      keyLimit: { limitMillicredits: 1_000, spentMillicredits: 600, pendingMillicredits: 300, resetsAtMs: sunday },
    });
    expect(await hold(5_000, { acceptFrom: 50 })).toMatchObject({ status: 'held', heldMillicredits: 100 });
    expect(await counters()).toEqual({ 'day 2026-01-31': [600, 400, 0] });
  });

  it('tells a caller to wait only where running calls stand in the way, of the limit or of the wallet', async () => {
    await limit(1_000);
    const { callId } = await hold(700);
    expect(await hold(301)).toMatchObject({ reason: 'key_limit_reserved' });
    expect(await hold(1_001)).toMatchObject({ reason: 'key_limit' });
    await limit(20_000);
    expect(await hold(9_301)).toMatchObject({ reason: 'reserved' });
    expect(await hold(10_001)).toMatchObject({ reason: 'insufficient' });
    // What both lack for good is said first.
    await limit(9_000);
    expect(await hold(9_301)).toMatchObject({ reason: 'key_limit' });
    await settle(callId, 700);
    expect(await hold(9_000)).toMatchObject({ reason: 'key_limit' });
  });

  it('has room for eight calls at once that each ask for all of it, and gives a lone one what is enough', async () => {
    await limit(1_000);
    const holdEnough = async (enough: number) =>
      fixture.ledger.placeHold({
        callId: createId('call'),
        ...account,
        facts: { ...factsAt(1), startedAtMs: saturday },
        amountMillicredits: toMillicredits(2_000),
        acceptFromMillicredits: toMillicredits(10),
        enoughMillicredits: toMillicredits(enough),
      });
    const eight = await Promise.all(Array.from({ length: 8 }, () => holdEnough(20)));
    const held = eight.map((result) => (result.status === 'held' ? Number(result.heldMillicredits) : 0));
    expect(held.sort((one, other) => other - one)).toEqual([125, 109, 95, 83, 73, 64, 56, 49]);
    // 346 are left.
    expect(await holdEnough(200)).toMatchObject({ heldMillicredits: 200 });
    expect(await holdEnough(200)).toMatchObject({ heldMillicredits: 146 });
    expect(await holdEnough(200)).toMatchObject({ reason: 'key_limit_reserved' });
  });

  it.each([
    ['day', 'day 2026-01-31', sunday],
    ['week', 'week 2026-01-26', monday],
    ['month', 'month 2026-01-01', sunday],
  ] as const)('begins anew with each %s, in UTC', async (period, id, nextMs) => {
    await limit(100, period);
    await hold(100);
    expect(await hold(1, { startedAtMs: nextMs - 1 })).toMatchObject({ reason: 'key_limit_reserved' });
    expect(await hold(100, { startedAtMs: nextMs })).toMatchObject({ status: 'held' });
    expect((await counters())[id]).toEqual([0, 100, 0]);
  });

  it('counts a call in the period in which it began, whenever it ends', async () => {
    await limit(100);
    const { callId } = await hold(80, { startedAtMs: sunday - 1 });
    await hold(100, { startedAtMs: sunday });
    await settle(callId, 30);
    expect(await counters()).toEqual({ 'day 2026-01-31': [30, 0, 0], 'day 2026-02-01': [0, 100, 0] });
  });

  it('is there once more while a clock is ahead, and then spent of the period that it showed: no two periods come to more than both', async () => {
    await limit(100);
    await settle((await hold(100)).callId, 100);
    await settle((await hold(60, { startedAtMs: sunday })).callId, 60);
    expect(await hold(1)).toMatchObject({ reason: 'key_limit' });
    expect(await hold(41, { startedAtMs: sunday + 1 })).toMatchObject({ reason: 'key_limit' });
    expect(await hold(40, { startedAtMs: sunday + 1 })).toMatchObject({ status: 'held' });
  });

  it('gets back what is released, voided or expired, and counts what is charged late', async () => {
    await limit(100);
    const released = await hold(100);
    await settle(released.callId, 0);
    const voided = await hold(100);
    await fixture.ledger.voidHold(voided.callId, account.accountId);
    const { accountId } = account;
    const expired = await hold(100);
    await fixture.ledger.renewHold({ callId: expired.callId, accountId, promptTokens: 10, completionTokens: 0 });
    await fixture.ledger.expireHold({ callId: expired.callId, accountId });
    expect(await counters()).toEqual({ 'day 2026-01-31': [10, 0, 0] });
    await settle(expired.callId, 70);
    expect(await counters()).toEqual({ 'day 2026-01-31': [70, 0, 0] });
    expect(await hold(31)).toMatchObject({ reason: 'key_limit' });
  });

  it('is passed by use beyond a hold alone, which it then remembers as permitted', async () => {
    await limit(100);
    const { callId } = await hold(100);
    await settle(callId, 150);
    expect(await counters()).toEqual({ 'day 2026-01-31': [150, 0, 50] });
    expect(await hold(1)).toMatchObject({ reason: 'key_limit' });
  });

  it('counts calls from before it was set, those under way as well, and holds for the next call once it is lowered', async () => {
    const { callId } = await hold(400);
    const ended = await hold(100);
    await settle(ended.callId, 100);
    await limit(600);
    expect(await hold(101)).toMatchObject({ reason: 'key_limit_reserved' });
    await hold(60);
    await settle(callId, 50);
    expect(await counters()).toEqual({ 'day 2026-01-31': [150, 60, 0] });
    await limit(150);
    expect(await hold(1)).toMatchObject({ reason: 'key_limit', keyLimit: { limitMillicredits: 150 } });
    expect(await counters()).toEqual({ 'day 2026-01-31': [150, 60, 60] });
  });

  it('can be lifted, given another period and set again, and misses nothing that was spent meanwhile', async () => {
    await limit(1_000);
    const first = await hold(300);
    await limit(null);
    await settle(first.callId, 200);
    const second = await hold(500);
    await limit(1_000, 'month');
    await hold(10);
    await settle(second.callId, 450);
    await limit(1_000);
    await hold(10);
    expect(await counters()).toEqual({ 'day 2026-01-31': [650, 20, 0] });
  });

  it('costs a key without one no counter', async () => {
    const { callId } = await hold(100);
    await settle(callId, 100);
    expect(await counters()).toEqual({});
    expect(await fixture.countRows('ledger_hold', 'spend_period IS NOT NULL')).toBe(0);
  });

  it('refuses a hold by another revision of the key, and by none once the key has expired', async () => {
    const ask = (keyRevision: number) =>
      fixture.ledger.placeHold({
        callId: createId('call'),
        ...account,
        keyRevision,
        facts: factsAt(1),
        amountMillicredits: toMillicredits(1),
        acceptFromMillicredits: toMillicredits(1),
      });
    expect(await ask(0)).toMatchObject({ status: 'held' });
    await limit(1_000);
    expect(await ask(0)).toMatchObject({ reason: 'key_changed' });
    expect(await ask(1)).toMatchObject({ status: 'held' });
    await fixture.source.query(`UPDATE api_key SET expires_at_ms = 1 WHERE id = '${account.keyId}'`);
    expect(await ask(1)).toMatchObject({ reason: 'key_revoked' });
  });

  it('is kept by the database as well: a hold that passes it is refused whoever writes it', async () => {
    await limit(100);
    await hold(100);
    const pass = 'UPDATE key_spend SET pending_millicredits = pending_millicredits + 1';
    await expect(fixture.source.query(pass)).rejects.toThrow(/ck_key_spend_limit|CHECK/);
  });

  it('of 500 holds at once lets exactly those pass that it covers, in each of 10 periods', async () => {
    await limit(300);
    for (let day = 0; day < 10; day += 1) {
      const startedAtMs = saturday + day * 86_400_000;
      const results = await Promise.all(Array.from({ length: 500 }, () => hold(100, { startedAtMs })));
      expect(results.filter(({ status }) => status === 'held')).toHaveLength(3);
    }
  });
});

describeOnMysql('The reads of a batch', (openTestDatabase) => {
  it('look up no counter for a key without a limit, neither in its hold nor in its settlement', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const account = await fixture.createFundedAccount(1_000);
    const limited = await fixture.createFundedAccount(1_000);
    await fixture.limitKey(limited, { millicredits: 500, period: 'day' });
    const connection = fixture.source.createQueryRunner();
    const countLookups = async (sql: string) => {
      const read = async () => Number((await connection.query("SHOW SESSION STATUS LIKE 'Handler_read_key'"))[0].Value);
      const before = await read();
      await connection.query(sql);
      return (await read()) - before;
    };
    const lookupsOf = async (payer: typeof account) => {
      const input = holdOf(payer, 10);
      await fixture.ledger.placeHold(input);
      const statements = toReadStatements([{ kind: 'hold', input, instance: 'test' }]);
      const counts = {
        keys: await countLookups(String(statements.get('keys'))),
        holds: await countLookups(String(statements.get('holds'))),
      };
      await fixture.ledger.voidHold(input.callId, payer.accountId);
      return counts;
    };
    expect(await lookupsOf(account)).toEqual({ keys: 1, holds: 1 });
    expect(await lookupsOf(limited)).toEqual({ keys: expect.any(Number), holds: 2 });
    await connection.release();
    await fixture.close();
  });
});
