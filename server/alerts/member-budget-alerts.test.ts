import { findToldMember } from '../composition/find-told-member.js';
import { silentLogger } from '../kernel/logger.js';
import { OneProcessKeyChanges } from '../keys/changes/key-changes.js';
import { KeySpendReader } from '../ledger/key-spend/key-spend-reader.js';
import { MemberBudgets } from '../members/member-budgets.js';
import { Outbox } from '../notices/outbox.js';
import { ToldNotices } from '../notices/told-notices.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import type { Person } from '../test/recovery-people.js';
import { TeamPeople } from '../test/team-people.js';
import { type AlertWays, UseWatch } from './use-watch.js';

const hourMs = 3_600_000;
const endpoint = { id: 'e', url: 'https://example.com/e', events: ['budget.used'] };

describeOnEachDatabase('The alerts of a member’s budget', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let team: TeamPeople;
  let ada: Person;
  let bob: Person;
  let keyIds: string[];
  let ways: AlertWays;
  let wants: { isUseTold: boolean; isByEmail: boolean };

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    team = new TeamPeople(fixture);
    ada = await team.signUp('ada@example.com');
    bob = await team.joinAs(ada, 'developer', 'bob@example.com');
    await fixture.source.query(`UPDATE account SET name = 'Bob' WHERE id = '${bob.accountId}'`);
    await fixture.source.query('DELETE FROM notice');
    keyIds = [await makeKey(bob), await makeKey(bob), await makeKey(ada)];
    ways = { email: 'ada@example.com', webhookUrl: 'https://example.com/hook', endpoints: [endpoint] };
    wants = { isUseTold: true, isByEmail: true };
  });
  afterEach(async () => {
    // What is used here was never booked, so the books would not add up.
    await fixture.source.query('DELETE FROM usage_hour');
    await fixture.close();
  });

  const makeKey = async (person: Person, account = ada) => {
    const role = person === account ? ('owner' as const) : ('developer' as const);
    const by = { person: { personId: person.accountId, role } };
    return (await team.keys.createKey(account.accountId, { name: 'key' }, by)).apiKey.id;
  };
  const bound = (budgetMillicredits: number, account = ada, person = bob) => {
    const { unitOfWork, clock } = team;
    const budgets = new MemberBudgets({ unitOfWork, clock, keyChanges: new OneProcessKeyChanges(clock) });
    return budgets.setBudget({ ...team.change(account, account, person), budgetMillicredits });
  };
  const use = (keyId: string | undefined, millicredits: number, account = ada) => {
    const nowMs = team.clock.nowMs();
    return fixture.source.query(
      `INSERT INTO usage_hour (account_id, hour_ms, key_id, model, provider, calls, failed_calls, prompt_tokens, completion_tokens, charged_millicredits, absorbed_millicredits) VALUES ('${account.accountId}', ${nowMs - (nowMs % hourMs)}, '${keyId}', 'm${Math.random()}', 'p', 1, 0, 1, 1, ${millicredits}, 0)`,
    );
  };
  const open = (unitOfWork = team.unitOfWork) => {
    const people = { accounts: team.services.accounts, memberships: team.memberships };
    const alerts = { find: async () => ({ ...ways, ...wants }) as never };
    return new UseWatch({
      ...{ unitOfWork, clock: team.clock, logger: silentLogger, publicUrl: 'http://tollgate.test' },
      keySpend: new KeySpendReader(unitOfWork),
      outbox: new Outbox(unitOfWork, team.clock, null, silentLogger),
      findWays: async () => ways,
      findMember: (of) => findToldMember({ ...people, alerts }, of),
    });
  };
  const look = async (watch = open(), account = ada) => {
    watch.noteUse(account.accountId);
    await watch.look();
  };
  const listTold = async () => {
    const rows = await fixture.source.query('SELECT channel, recipient, title FROM notice');
    return rows
      .map(({ channel, recipient, title }: Record<string, string>) => `${channel} ${recipient}: ${title}`)
      .toSorted();
  };
  const toldOf = (part = '') => {
    const used = (whose: string) => `has used ${part}${whose} budget for this month`;
    return [
      `dashboard : “Bob” ${used('their')}`,
      `email ada@example.com: “Bob” ${used('their')}`,
      `email bob@example.com: You have used ${part}your budget for this month in the account “A Person”`,
      `endpoint https://example.com/e: A member ${used('their')}`,
      `webhook https://example.com/hook: “Bob” ${used('their')}`,
    ];
  };

  it('tell the member and the owner each share once, of all keys of the member, whichever of several servers looks first', async () => {
    await bound(1_000);
    await use(keyIds[0], 300);
    await use(keyIds[2], 5_000);
    await look();
    expect(await listTold()).toEqual([]);
    await use(keyIds[1], 200);
    await Promise.all([look(), look(), look(), look()]);
    expect(await listTold()).toEqual(toldOf('50 % of '));
    await use(keyIds[0], 500);
    await look();
    await look();
    expect(await listTold()).toEqual([...toldOf('50 % of '), ...toldOf()].toSorted());
    const hooks = await fixture.source.query("SELECT body FROM notice WHERE channel = 'endpoint' ORDER BY subject_key");
    expect(JSON.parse(hooks[0].body)).toMatchObject({
      ...{ type: 'budget.used', memberId: bob.accountId, accountId: ada.accountId },
      ...{ percent: 100, spentCredits: 1, budgetCredits: 1 },
    });
    expect(hooks[0].body).not.toContain('Bob');
  });

  it('go by the budget of now and count what ended keys spent, also where no key is in force', async () => {
    const end = (keyId = '') => team.keys.revokeKey({ accountId: ada.accountId, keyId, by: null });
    await bound(1_000);
    await use(keyIds[0], 400);
    await end(keyIds[0]);
    await bound(10_000);
    await use(keyIds[1], 400);
    await look();
    expect(await listTold()).toEqual([]);
    await end(keyIds[1]);
    await bound(1_600);
    await look();
    expect(await listTold()).toEqual(toldOf('50 % of '));
  });

  it('are told anew with another budget, with another month, and by another account with the same budget', async () => {
    const eve = await team.signUp('eve@example.com');
    await team.invitations.accept(await team.inviteBy(eve, 'bob@example.com', 'developer'), bob.accountId);
    await fixture.source.query('DELETE FROM notice');
    const elsewhere = await makeKey(bob, eve);
    await bound(1_000);
    await bound(1_000, eve);
    await use(keyIds[0], 900);
    await look();
    await use(elsewhere, 900, eve);
    await look(open(), eve);
    expect(await listTold()).toHaveLength(2 * toldOf().length);
    await bound(1_100);
    await look();
    expect(await listTold()).toHaveLength(3 * toldOf().length);
    team.clock.advanceMs(31 * 24 * hourMs);
    await look();
    expect(await listTold()).toHaveLength(3 * toldOf().length);
    await use(keyIds[0], 900);
    await look();
    expect(await listTold()).toHaveLength(4 * toldOf().length);
  });

  it('are told once where the answer to the commit was lost', async () => {
    await bound(1_000);
    await use(keyIds[0], 1_000);
    let lost = 0;
    const losing = Object.assign(Object.create(team.unitOfWork) as typeof team.unitOfWork, {
      transactForServer: async (work: Parameters<typeof team.unitOfWork.transact>[0]) => {
        await team.unitOfWork.transact(work);
        lost += 1;
        if (lost === 1) throw new Error('The connection was lost.');
      },
    });
    const watch = open(losing);
    await look(watch);
    await watch.look();
    expect(lost).toBe(2);
    expect(await listTold()).toEqual(toldOf());
  });

  it('are found after a start, and mailed only where the account wants mails, to members that are members still', async () => {
    await bound(1_000);
    await use(keyIds[0], 800);
    await fixture.source.query(`UPDATE api_key SET last_used_at_ms = ${team.clock.nowMs()}`);
    wants = { isUseTold: true, isByEmail: false };
    ways = { email: null, webhookUrl: null, endpoints: [] };
    await open().look();
    const dashboard = 'dashboard : “Bob” has used 80 % of their budget for this month';
    expect(await listTold()).toEqual([dashboard]);
    wants = { isUseTold: true, isByEmail: true };
    await team.memberships.leave({ accountId: ada.accountId, personId: bob.accountId }, { revokeKeys: false });
    await use(keyIds[1], 200);
    await look();
    expect(await listTold()).toEqual(['dashboard : A former member has used their budget for this month', dashboard]);
  });

  it('wait for no mail to the member, who is sent ten of them in an hour, of all accounts together', async () => {
    for (let budget = 1_000; budget < 1_012; budget += 1) {
      await bound(budget);
      if (budget === 1_000) await use(keyIds[0], 1_000_000);
      // The account has room for what it is told by the dashboard alone.
      ways = { email: null, webhookUrl: null, endpoints: [] };
      await look();
    }
    const told = await listTold();
    expect(told.filter((one: string) => one.startsWith('dashboard'))).toHaveLength(12);
    expect(told.filter((one: string) => one.startsWith('email bob@'))).toHaveLength(10);
  });

  it('stand among the notices of the account for all its members, and not among those of the member’s own account', async () => {
    await bound(1_000);
    await use(keyIds[0], 500);
    await look();
    const told = new ToldNotices(team.unitOfWork, team.clock);
    const listFor = (accountId: string) => told.list({ accountId, personId: bob.accountId }, 10);
    expect(await listFor(ada.accountId)).toMatchObject([
      { title: '“Bob” has used 50 % of their budget for this month' },
    ]);
    expect(await listFor(bob.accountId)).toEqual([]);
  });

  it('name nobody any more who has deleted their account, neither the member nor the account', async () => {
    await bound(1_000);
    await use(keyIds[0], 500);
    await look();
    await team.services.deletion.deleteFor(bob.accountId, async () => {});
    const left = ['endpoint https://example.com/e: A member has used 50 % of their budget for this month'];
    expect(await listTold()).toEqual(left);

    const eve = await team.joinAs(ada, 'developer', 'eve@example.com');
    await fixture.source.query('DELETE FROM notice');
    await bound(1_000, ada, eve);
    await use(await makeKey(eve), 500);
    await look();
    expect((await listTold()).filter((told: string) => told.includes('eve@example.com'))).toHaveLength(1);
    await team.services.deletion.deleteFor(ada.accountId, async () => {});
    expect(await listTold()).toEqual([]);
  });
});
