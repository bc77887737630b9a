import { createId } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { ApiKeyEntity } from '../keys/api-key.entity.js';
import { sumMonthByMaker } from '../keys/budgets-of-makers.js';
import { openLedger } from '../ledger/open-ledger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { begin, openInstance, trustingKeyWatch, warmUp } from '../test/lease-calls.js';
import { endingWith, factsAt, grantOf, LedgerFixture } from '../test/ledger-fixture.js';
import type { Person } from '../test/recovery-people.js';
import { TeamPeople } from '../test/team-people.js';
import { makeTestFolder } from '../test/test-folder.js';
import { MemberBudgets } from './member-budgets.js';

const january = Date.UTC(2026, 0, 31, 23, 59, 59, 999);
const february = Date.UTC(2026, 1, 1);

describeOnEachDatabase('The monthly budget of a member', (openTestDatabase) => {
  // Holds that are over at once can be expired.
  const fixture = LedgerFixture.forEach(openTestDatabase, { leaseMs: -60_000, graceMs: 0 });
  let team: TeamPeople;
  let budgets: MemberBudgets;
  let ada: Person;
  let bob: Person;

  beforeEach(async () => {
    team = new TeamPeople(fixture);
    const takenOver = async () => undefined;
    const keyChanges = { note: async () => ({ number: 0, changed: { accountId: '', keyId: null } }), takenOver };
    budgets = new MemberBudgets({ unitOfWork: team.unitOfWork, clock: team.clock, keyChanges });
    ada = await team.signUp('ada@example.com');
    bob = await team.joinAs(ada, 'developer', 'bob@example.com');
    await fixture.ledger.grantCredits(grantOf(ada.accountId, 100_000, 'grant:test'));
  });

  const bound = (person: Person, budgetMillicredits: number | null, by = ada) =>
    budgets.setBudget({ ...team.change(ada, by, person), budgetMillicredits });
  const makeKey = async (person: Person) => {
    const role = person === ada ? ('owner' as const) : ('developer' as const);
    const by = { person: { personId: person.accountId, role } };
    return (await team.keys.createKey(ada.accountId, { name: 'key' }, by)).apiKey.id;
  };
  const hold = async (keyId: string, amount: number, { startedAtMs = january, ledger = fixture.ledger } = {}) => {
    const callId = createId('call');
    const amounts = { amountMillicredits: toMillicredits(amount), acceptFromMillicredits: toMillicredits(amount) };
    const facts = { ...factsAt(1), startedAtMs };
    const result = await ledger.placeHold({ callId, accountId: ada.accountId, keyId, facts, ...amounts });
    return { callId, ...result };
  };
  const settle = (callId: string, tokens: number) =>
    fixture.ledger.settleHold({ callId, accountId: ada.accountId, ending: endingWith(tokens, 0) });

  it('is shown beside what was spent without a look at each of the keys, of which an account may have made any number', async () => {
    const [bobs, adas] = [await makeKey(bob), await makeKey(ada)];
    for (let n = 0; n < 20; n += 1) await makeKey(bob);
    for (const [keyId, tokens] of [
      [bobs, 300],
      [adas, 200],
    ] as const) {
      await settle((await hold(keyId, 700)).callId, tokens);
    }
    let rowsRead = 0;
    const reader = new Proxy(team.unitOfWork.reader, {
      get:
        (target, name) =>
        async (...asked: unknown[]) => {
          const rows: unknown[] = await Reflect.get(target, name).apply(target, asked);
          rowsRead += rows.length;
          return rows;
        },
    });
    const sums = await sumMonthByMaker({ reader }, ada.accountId, january);
    expect(sums).toEqual(await budgets.findMonth(ada.accountId).then(({ spent }) => spent));
    expect(new Map(sums)).toEqual(
      new Map([
        [bob.accountId, 300],
        [ada.accountId, 200],
      ]),
    );
    expect(rowsRead).toBe(2);
  });

  it('bounds what all keys of that person spend together, says how it stands, and leaves the keys of others alone', async () => {
    const [first, second, others] = [await makeKey(bob), await makeKey(bob), await makeKey(ada)];
    await bound(bob, 1_000);
    const { callId } = await hold(first, 700);
    await settle(callId, 600);
    await hold(second, 300);
    expect(await hold(first, 101)).toMatchObject({
      ...{ status: 'refused', reason: 'member_budget_reserved', keyLimit: null },
      memberBudget: {
        limitMillicredits: 1_000,
        spentMillicredits: 600,
        pendingMillicredits: 300,
        resetsAtMs: february,
      },
    });
    expect(await hold(second, 401)).toMatchObject({ reason: 'member_budget' });
    expect(await hold(await makeKey(bob), 101)).toMatchObject({ reason: 'member_budget_reserved' });
    expect(await hold(others, 5_000)).toMatchObject({ status: 'held' });
    expect(await hold(first, 100)).toMatchObject({ status: 'held', heldMillicredits: 100 });
  });

  it('is the same beside a thousand ended keys', async () => {
    const [first, second, others] = [await makeKey(bob), await makeKey(bob), await makeKey(ada)];
    const keys = fixture.source.getRepository(ApiKeyEntity);
    const made = await keys.findOneByOrFail({ id: first });
    for (let group = 0; group < 10; group += 1) {
      const ended = Array.from({ length: 101 }, () => {
        const id = createId('key');
        return { ...made, id, secretHash: id.padEnd(64, '0'), previousSecretHash: null, revokedAtMs: january };
      });
      await keys.insert(ended);
    }
    await bound(bob, 1_000);
    const { callId } = await hold(first, 700);
    await settle((await hold(others, 5_000)).callId, 4_000);
    // Its end and the next hold are of one commit.
    const [, next] = await Promise.all([settle(callId, 600), hold(second, 300)]);
    expect(next).toMatchObject({ status: 'held' });
    expect(await hold(first, 101)).toMatchObject({
      ...{ status: 'refused', reason: 'member_budget_reserved' },
      memberBudget: { spentMillicredits: 600, pendingMillicredits: 300 },
    });
    expect(await hold(second, 100)).toMatchObject({ status: 'held' });
  });

  it('begins anew with each month, and counts a call in the month in which it began, whenever it ends', async () => {
    const key = await makeKey(bob);
    await bound(bob, 100);
    const { callId } = await hold(key, 80);
    expect(await hold(key, 100, { startedAtMs: february })).toMatchObject({ status: 'held' });
    await settle(callId, 30);
    expect(await hold(key, 71)).toMatchObject({ memberBudget: { spentMillicredits: 30, pendingMillicredits: 0 } });
    expect(await hold(key, 1, { startedAtMs: february })).toMatchObject({
      memberBudget: { spentMillicredits: 0, pendingMillicredits: 100 },
    });
  });

  it('of 48 calls at once on two servers and three keys lets exactly those pass that it covers', async () => {
    const keys = [await makeKey(bob), await makeKey(bob), await makeKey(bob)];
    await bound(bob, 1_050);
    const other = openLedger({
      ...{ address: fixture.database.address, spoolFolder: makeTestFolder('spool'), logger: silentLogger },
      instance: 'other',
    });
    const ledgers = [fixture.ledger, other];
    // Where a lock was waited for too long, nothing is held: the call is still to be made.
    const holdAtLast = (index: number): ReturnType<typeof hold> =>
      hold(String(keys[index % 3]), 100, { ledger: ledgers[index % 2] as typeof other }).catch((error) => {
        if (error.code !== 'service_unavailable') throw error;
        return holdAtLast(index);
      });
    const results = await Promise.all(Array.from({ length: 48 }, (_, index) => holdAtLast(index)));
    await other.close();
    const held = results.filter(({ status }) => status === 'held');
    expect(held).toHaveLength(10);
    for (const { callId } of held) await settle(callId, 100);
    expect(await fixture.findWallet(ada.accountId)).toEqual({ posted: 99_000, pending: 0 });
    expect(await hold(String(keys[0]), 51)).toMatchObject({ memberBudget: { spentMillicredits: 1_000 } });
  });

  it('gets back what is released, voided or expired, and counts what is charged late or beyond a hold', async () => {
    const key = await makeKey(bob);
    const { accountId } = ada;
    const spent = async () => {
      const refused = await hold(key, 1_001);
      return refused.status === 'refused' ? Number(refused.memberBudget?.spentMillicredits) : null;
    };
    await bound(bob, 1_000);
    await settle((await hold(key, 1_000)).callId, 0);
    await fixture.ledger.voidHold((await hold(key, 1_000)).callId, accountId);
    const { callId } = await hold(key, 1_000);
    await fixture.ledger.renewHold({ callId, accountId, promptTokens: 10, completionTokens: 0 });
    await fixture.ledger.expireHold({ callId, accountId });
    expect(await spent()).toBe(10);
    await settle(callId, 70);
    expect(await spent()).toBe(70);
    await settle((await hold(key, 900)).callId, 940);
    expect(await spent()).toBe(1_010);
    expect(await hold(key, 1)).toMatchObject({ reason: 'member_budget' });
  });

  it('sees what ends and begins beside it in the same commit', async () => {
    const key = await makeKey(bob);
    await bound(bob, 100);
    const { callId } = await hold(key, 60);
    const [, after, refused] = await Promise.all([settle(callId, 80), hold(key, 20), hold(key, 1)]);
    expect([after.status, refused.status]).toEqual(['held', 'refused']);
  });

  it('counts calls from before it was set, those under way as well, and can be raised and lifted', async () => {
    const key = await makeKey(bob);
    const { callId } = await hold(key, 400);
    await settle((await hold(key, 100)).callId, 100);
    await bound(bob, 450);
    expect(await hold(key, 1)).toMatchObject({ reason: 'member_budget_reserved' });
    await settle(callId, 50);
    expect(await hold(key, 301)).toMatchObject({ memberBudget: { spentMillicredits: 150, pendingMillicredits: 0 } });
    await bound(bob, 0);
    expect(await hold(key, 1)).toMatchObject({ reason: 'member_budget' });
    await bound(bob, null);
    expect(await hold(key, 5_000)).toMatchObject({ status: 'held' });
  });

  it('stays on the keys of a member who has gone, so that nobody is rid of it by leaving, and on what these keys make', async () => {
    const key = await makeKey(bob);
    await bound(bob, 100);
    await team.memberships.leave({ accountId: ada.accountId, personId: bob.accountId }, { revokeKeys: false });
    expect(await hold(key, 101)).toMatchObject({ reason: 'member_budget' });
    const permissions = await team.keys.findKey(ada.accountId, key);
    if (!permissions) throw new Error('The key is there.');
    const made = await team.keys.createKey(ada.accountId, { name: 'more' }, { by: { keyId: key, permissions } });
    await hold(key, 60);
    expect(await hold(made.apiKey.id, 41)).toMatchObject({ reason: 'member_budget_reserved' });
  });

  it('comes back with a member who joins anew: it is shown, bounds the keys of then and now together, and can be raised', async () => {
    const key = await makeKey(bob);
    await bound(bob, 100);
    await team.memberships.remove(team.change(ada, ada, bob), { revokeKeys: false });
    await expect(bound(bob, 200)).rejects.toMatchObject({ code: 'not_found' });
    await team.invitations.accept(await team.inviteBy(ada, 'bob@example.com', 'developer'), bob.accountId);
    expect(await team.memberships.listMembers(ada.accountId)).toMatchObject([
      { monthlyBudgetMillicredits: null },
      { personId: bob.accountId, monthlyBudgetMillicredits: 100 },
    ]);
    const another = await makeKey(bob);
    await hold(key, 60);
    expect(await hold(another, 41)).toMatchObject({ reason: 'member_budget_reserved' });
    await bound(bob, 200);
    expect(await hold(another, 140)).toMatchObject({ status: 'held' });
  });

  it('is written to the keys in force and to the last one made, however many have ended, and is theirs again when they join anew', async () => {
    const end = (keyId: string) => team.keys.revokeKey({ accountId: ada.accountId, keyId, by: null });
    const ended = [await makeKey(bob), await makeKey(bob), await makeKey(bob)];
    for (const keyId of ended) await end(keyId);
    const [inForce, last] = [await makeKey(bob), await makeKey(bob)];
    await end(last);
    await bound(bob, 100);
    const written = await fixture.source.query(
      'SELECT id FROM api_key WHERE maker_budget_millicredits = 100 AND made_by IS NOT NULL ORDER BY id',
    );
    expect(written.map(({ id }: { id: string }) => id)).toEqual([inForce, last].sort());
    await end(inForce);
    await bound(bob, 300);
    await team.memberships.remove(team.change(ada, ada, bob), { revokeKeys: true });
    await team.invitations.accept(await team.inviteBy(ada, 'bob@example.com', 'developer'), bob.accountId);
    expect(await budgets.findBudget({ accountId: ada.accountId, personId: bob.accountId })).toBe(300);
    expect(await hold(await makeKey(bob), 301)).toMatchObject({ memberBudget: { limitMillicredits: 300 } });
  });

  it('is set by owners and admins, an owner’s by owners, told in the account’s events, and is no less than nothing', async () => {
    const admin = await team.joinAs(ada, 'admin');
    await bound(bob, 5_000, admin);
    await bound(ada, 7_000);
    await bound(ada, null);
    for (const [by, person] of [
      [bob, bob],
      [admin, ada],
    ] as const) {
      await expect(bound(person, 1, by)).rejects.toMatchObject({ code: 'role_required' });
    }
    for (const wrong of [-1, 1_000_000_000_001])
      await expect(bound(bob, wrong)).rejects.toMatchObject({ param: 'monthlyBudget' });
    const eve = await team.signUp('eve@example.com');
    await expect(bound(eve, 1)).rejects.toMatchObject({ code: 'not_found' });
    const [event] = await fixture.source.query(
      "SELECT subject_id, detail FROM account_event WHERE kind = 'member_budget_set' AND detail <> 'none' ORDER BY detail",
    );
    expect(event).toEqual({ subject_id: bob.accountId, detail: '5.000 credits a month' });
    const budgetsOf = (await team.memberships.listMembers(ada.accountId)).map((one) => one.monthlyBudgetMillicredits);
    expect(budgetsOf).toEqual([null, 5_000, null]);
  });

  it('keeps no lease from other keys, and no lease lets in a call that it counts', async () => {
    const ledger = await openInstance(fixture, 'leasing', { keyWatch: trustingKeyWatch });
    const account = { accountId: ada.accountId, keyId: await makeKey(ada) };
    await warmUp(ledger, account, 100);
    const before = Number(ledger.leases?.standing.callCount);
    const call = { ...factsAt(1), startedAtMs: january };
    const bobs = { accountId: ada.accountId, keyId: await makeKey(bob), keyRevision: 0, isMakerBudgeted: true };
    const amounts = { amountMillicredits: toMillicredits(10), acceptFromMillicredits: toMillicredits(10) };
    const callId = createId('call');
    expect(await ledger.placeHold({ callId, ...bobs, facts: call, ...amounts })).toMatchObject({ status: 'held' });
    expect(await fixture.countRows('ledger_hold', `id = '${callId}'`)).toBe(1);
    expect(ledger.leases?.standing.callCount).toBe(before);
    expect(await begin(ledger, account, 10)).toMatchObject({ status: 'held' });
    expect(ledger.leases?.standing.callCount).toBe(before + 1);
    await ledger.close();
  });
});
