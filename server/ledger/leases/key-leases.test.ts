import { describeOnEachDatabase } from '../../test/each-database.js';
import {
  begin,
  end,
  type FundedAccount,
  type KeyAsRead,
  openInstance,
  trustingKeyWatch,
  untilReturned,
  warmUp,
} from '../../test/lease-calls.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import type { Ledger } from '../ledger.js';

const dayMs = 86_400_000;
const limitedOnce: KeyAsRead = { keyRevision: 1, isKeyLimited: true };

describeOnEachDatabase('The spend limit of a key in use', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase, undefined, { keyWatch: trustingKeyWatch });
  let account: FundedAccount;

  beforeEach(async () => {
    account = await fixture.createFundedAccount(1_000_000);
  });

  const limit = (millicredits: number | null, period: 'day' | 'month' = 'day') =>
    fixture.limitKey(account, millicredits === null ? null : { millicredits, period });
  const findCounters = async () => {
    const rows = await fixture.source.query(
      `SELECT * FROM key_spend WHERE key_id = '${account.keyId}' ORDER BY period`,
    );
    return rows.map((row: Record<string, unknown>) => [
      ...[row.period, Number(row.spent_millicredits)],
      ...[Number(row.pending_millicredits), Number(row.excess_millicredits)],
    ]);
  };
  const countLeases = (where = '1 = 1') =>
    fixture.countRows('wallet_lease', `wallet = '${account.accountId}' AND ${where}`);
  const warm = (key = limitedOnce) => warmUp(fixture.ledger, account, 100, key);

  it('lets calls that follow each other in without a row, and counts what they reserve and cost', async () => {
    await limit(100_000);
    await warm();
    const [{ amount }] = await fixture.source.query(
      `SELECT amount FROM wallet_lease WHERE wallet = '${account.accountId}' AND key_id = '${account.keyId}'`,
    );
    expect(await findCounters()).toEqual([['day 1970-01-01', 0, Number(amount), 0]]);
    const { callId } = await begin(fixture.ledger, account, 100, limitedOnce);
    expect(await fixture.countRows('ledger_hold', `id = '${callId}'`)).toBe(0);
    await end(fixture.ledger, account, callId, 30);
    expect(await findCounters()).toEqual([['day 1970-01-01', 30, Number(amount) - 30, 0]]);
    fixture.ledger.leases?.drain(account.accountId);
    await untilReturned(fixture, account);
    expect(await findCounters()).toEqual([['day 1970-01-01', 30, 0, 0]]);
  });

  it('is leased to a quarter of what is left at most, and not at all when it is nearly used up', async () => {
    await limit(10_000);
    await warmUp(fixture.ledger, account, 600, limitedOnce);
    const isTooLarge = `key_id = '${account.keyId}' AND amount > 2500`;
    expect([await countLeases(), await countLeases(isTooLarge)]).toEqual([1, 0]);
    account = await fixture.createFundedAccount(1_000_000);
    await limit(1_599);
    for (let n = 0; n < 20; n += 1) {
      const { callId } = await begin(fixture.ledger, account, 100, limitedOnce);
      await end(fixture.ledger, account, callId, 0);
    }
    expect(await countLeases()).toBe(0);
    for (let n = 0; n < 15; n += 1) await begin(fixture.ledger, account, 100, limitedOnce);
    expect(await begin(fixture.ledger, account, 100, limitedOnce)).toMatchObject({ reason: 'key_limit_reserved' });
    expect(await begin(fixture.ledger, account, 1_600, limitedOnce)).toMatchObject({ reason: 'key_limit' });
  });

  it('gives a call all that is left when nothing but a lease of its own process stands in the way', async () => {
    await limit(100_000);
    await warm();
    expect(await begin(fixture.ledger, account, 100_000, limitedOnce)).toMatchObject({ status: 'held' });
    expect(await findCounters()).toEqual([['day 1970-01-01', 0, 100_000, 0]]);
  });

  it('holds for the next call once it is lowered, whatever was leased under the old one', async () => {
    await limit(100_000);
    await warm();
    const running = await begin(fixture.ledger, account, 100, limitedOnce);
    await limit(150);
    const lowered = { keyRevision: 2, isKeyLimited: true };
    expect(await begin(fixture.ledger, account, 100, lowered)).toMatchObject({ reason: 'key_limit_reserved' });
    await end(fixture.ledger, account, running.callId, 60);
    await untilReturned(fixture, account);
    expect(await begin(fixture.ledger, account, 100, lowered)).toMatchObject({ reason: 'key_limit' });
    expect(await begin(fixture.ledger, account, 90, lowered)).toMatchObject({ status: 'held' });
    expect(await findCounters()).toEqual([['day 1970-01-01', 60, 90, 0]]);
  });

  it('counts what is leased also when it is lifted, set again, and given another period', async () => {
    await limit(100_000);
    await warm();
    const running = await begin(fixture.ledger, account, 100, limitedOnce);
    await limit(null);
    await limit(200_000);
    const again = { keyRevision: 3, isKeyLimited: true };
    await end(fixture.ledger, account, (await begin(fixture.ledger, account, 150_000, again)).callId, 0);
    await limit(200_000, 'month');
    const month = { keyRevision: 4, isKeyLimited: true };
    await end(fixture.ledger, account, (await begin(fixture.ledger, account, 10, month)).callId, 5);
    const [[period, spent, pending]] = await findCounters();
    expect([period, spent, pending >= 100]).toEqual(['month 1970-01-01', 5, true]);
    await end(fixture.ledger, account, running.callId, 70);
    await untilReturned(fixture, account);
    expect(await findCounters()).toEqual([['month 1970-01-01', 75, 0, 0]]);
  });

  it('begins anew with a new day, of which an old lease lets no call in', async () => {
    await limit(100_000);
    await warm();
    await warm({ ...limitedOnce, startedAtMs: dayMs });
    const { callId } = await begin(fixture.ledger, account, 100, { ...limitedOnce, startedAtMs: dayMs });
    await end(fixture.ledger, account, callId, 40);
    fixture.ledger.leases?.drain(account.accountId);
    await untilReturned(fixture, account);
    expect(await findCounters()).toEqual([
      ['day 1970-01-01', 0, 0, 0],
      ['day 1970-01-02', 40, 0, 0],
    ]);
  });

  it('counts a call that runs for long by a hold of its own, beside its lease', async () => {
    await limit(100_000);
    await warm();
    const { callId } = await begin(fixture.ledger, account, 100, limitedOnce);
    const { accountId } = account;
    await fixture.ledger.renewHold({ callId, accountId, promptTokens: 10, completionTokens: 0 });
    expect(await fixture.countRows('ledger_hold', `id = '${callId}' AND spend_period = 'day 1970-01-01'`)).toBe(1);
    await end(fixture.ledger, account, callId, 50);
    fixture.ledger.leases?.drain(accountId);
    await untilReturned(fixture, account);
    expect(await findCounters()).toEqual([['day 1970-01-01', 50, 0, 0]]);
  });

  it('is leased by no process that has read the key before its last change', async () => {
    await limit(100_000);
    await limit(90_000);
    for (let n = 0; n < 10; n += 1) {
      expect(await begin(fixture.ledger, account, 100, limitedOnce)).toMatchObject({ reason: 'key_changed' });
    }
    expect(await countLeases()).toBe(0);
  });

  it('makes a caller wait while another process has leased it, which then gives it back', async () => {
    await limit(100_000);
    const other = await openInstance(fixture, 'other');
    await warmUp(other, account, 100, limitedOnce);
    expect(await begin(fixture.ledger, account, 100_000, limitedOnce)).toMatchObject({ reason: 'key_limit_reserved' });
    await untilReturned(fixture, account, [other]);
    expect(await begin(fixture.ledger, account, 100_000, limitedOnce)).toMatchObject({ status: 'held' });
    await other.close();
  });
});

describeOnEachDatabase('Of 500 calls at once on a key’s limit for ten', (openTestDatabase) => {
  it.each([1, 2, 4])(
    'ten are let in at most, and ten in the end, whatever was leased before, on instances: %s',
    async (count) => {
      const fixture = await LedgerFixture.open(await openTestDatabase());
      const instances = await Promise.all(
        Array.from({ length: count }, (_, n) => openInstance(fixture, `instance ${n}`)),
      );
      const account = await fixture.createFundedAccount(10_000_000);
      await fixture.limitKey(account, { millicredits: 100_000, period: 'day' });
      for (const ledger of instances) await warmUp(ledger, account, 50, limitedOnce);
      const [spender] = instances as [Ledger];
      await end(spender, account, (await begin(spender, account, 99_000, limitedOnce)).callId, 99_000);
      const callAll = async () => {
        const asked = await Promise.all(
          Array.from({ length: 500 }, (_, n) => begin(instances[n % count] as Ledger, account, 100, limitedOnce)),
        );
        const held = asked.flatMap(({ status, callId }, n) => (status === 'held' ? [{ callId, n }] : []));
        for (const { callId, n } of held) await end(instances[n % count] as Ledger, account, callId, 100);
        await untilReturned(fixture, account, instances);
        return { held: held.length, reasons: new Set(asked.map((it) => it.status === 'refused' && it.reason)) };
      };
      const first = await callAll();
      // What is left of a lease is too little for a call here and there.
      expect([first.held <= 10, first.held >= 10 - count]).toEqual([true, true]);
      expect(first.reasons).toEqual(new Set([false, 'key_limit_reserved']));
      expect(first.held + (await callAll()).held).toBe(10);
      expect((await callAll()).reasons).toEqual(new Set(['key_limit']));
      for (const ledger of instances) await ledger.close();
      await fixture.close();
    },
    60_000,
  );

  it('ten are let in after it was lowered, while four instances still have leases under the old one', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const instances = await Promise.all([0, 1, 2, 3].map((n) => openInstance(fixture, `instance ${n}`)));
    const account = await fixture.createFundedAccount(10_000_000);
    await fixture.limitKey(account, { millicredits: 100_000, period: 'day' });
    for (const ledger of instances) await warmUp(ledger, account, 100, limitedOnce);
    await fixture.limitKey(account, { millicredits: 1_000, period: 'day' });
    const lowered = { keyRevision: 2, isKeyLimited: true };
    const held = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      const asked = await Promise.all(
        Array.from({ length: 500 }, (_, n) => begin(instances[n % 4] as Ledger, account, 100, lowered)),
      );
      for (const { status, callId } of asked) if (status === 'held') held.add(callId);
      await untilReturned(fixture, account, instances);
    }
    expect(held.size).toBe(10);
    expect(await fixture.countRows('ledger_hold', "state = 'open' AND key_id <> 'lease'")).toBe(10);
    for (const ledger of instances) await ledger.close();
    await fixture.close();
  }, 60_000);
});
