import type { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { KeySpendReader } from '../ledger/key-spend/key-spend-reader.js';
import { Outbox } from '../notices/outbox.js';
import { ToldNotices } from '../notices/told-notices.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { endingWith, grantOf, holdOf, LedgerFixture } from '../test/ledger-fixture.js';
import { type AlertWays, UseWatch } from './use-watch.js';

const hourMs = 3_600_000;
const noMember = { name: null, accountName: '', email: null };

describeOnEachDatabase('UseWatch', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let clock: FakeClock;
  let account: { accountId: string; keyId: string };
  let ways: AlertWays;
  let unitOfWork: UnitOfWork;

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    clock = new FakeClock();
    unitOfWork = fixture.unitOfWork;
    account = await fixture.createFundedAccount(0);
    ways = { email: null, webhookUrl: null, endpoints: [] };
  });
  afterEach(async () => {
    // What is used here was never booked, so the books would not add up.
    await fixture.source.query('DELETE FROM usage_hour');
    await fixture.close();
  });

  const open = () =>
    new UseWatch({
      ...{ unitOfWork, clock, logger: silentLogger, publicUrl: 'http://tollgate.test' },
      keySpend: new KeySpendReader(unitOfWork),
      outbox: new Outbox(unitOfWork, clock, null, silentLogger),
      findWays: async () => ways,
      findMember: async () => noMember,
    });
  const limit = (millicredits: number) =>
    fixture.source.query(
      `UPDATE api_key SET spend_limit_millicredits = ${millicredits}, spend_period = 'month', last_used_at_ms = ${clock.nowMs()} WHERE id = '${account.keyId}'`,
    );
  const use = (millicredits: number, atMs = clock.nowMs()) =>
    fixture.source.query(
      `INSERT INTO usage_hour (account_id, hour_ms, key_id, model, provider, calls, failed_calls, prompt_tokens, completion_tokens, charged_millicredits, absorbed_millicredits) VALUES ('${account.accountId}', ${atMs - (atMs % hourMs)}, '${account.keyId}', 'm${Math.random()}', 'p', 1, 0, 1, 1, ${millicredits}, 0)`,
    );
  const look = async (watch = open()) => {
    watch.noteUse(account.accountId);
    await watch.look();
  };
  const listTold = async () => {
    const rows = await fixture.source.query('SELECT channel, title, state FROM notice ORDER BY id');
    return rows.map(({ channel, title, state }: Record<string, string>) => `${channel} ${state} ${title}`);
  };

  it('tells each share of a budget once, by all ways together, whichever of several instances looks first', async () => {
    ways = { email: 'owner@example.com', webhookUrl: 'https://example.com/hook', endpoints: [] };
    await limit(1_000);
    await use(490);
    await look();
    expect(await listTold()).toEqual([]);
    await use(20);
    await Promise.all([look(), look(), look(), look()]);
    const title = 'The key “k” has used 50 % of its budget for this month';
    expect(await listTold()).toEqual([`dashboard sent ${title}`, `email waiting ${title}`, `webhook waiting ${title}`]);
    await use(500);
    await look();
    await look();
    expect(await listTold()).toHaveLength(6);
    const [hook] = await fixture.source.query(
      `SELECT body FROM notice WHERE channel = 'webhook' ORDER BY id DESC LIMIT 1`,
    );
    expect(JSON.parse(hook.body)).toMatchObject({ type: 'budget.used', percent: 100, spentCredits: 1.01 });
  });

  it('tells it to the endpoints that want it, and to no other', async () => {
    const endpoint = (id: string, ...events: string[]) => ({ id, url: `https://example.com/${id}`, events });
    ways = { email: null, webhookUrl: null, endpoints: [endpoint('a', 'budget.used'), endpoint('b', 'call.failed')] };
    await limit(1_000);
    await use(510);
    await Promise.all([look(), look()]);
    const rows = await fixture.source.query("SELECT endpoint_id, state, body FROM notice WHERE channel = 'endpoint'");
    expect(rows).toMatchObject([{ endpoint_id: 'a', state: 'queued' }]);
    expect(JSON.parse(rows[0].body)).toMatchObject({ type: 'budget.used', percent: 50 });
  });

  it('tells nothing of an alert while the hour is full, and all of it once there is room', async () => {
    ways = { email: 'owner@example.com', webhookUrl: null, endpoints: [] };
    for (let n = 0; n < 10; n += 1) {
      await fixture.source.query(
        `INSERT INTO notice (id, subject_key, account_id, channel, recipient, title, body, state, attempts, due_at_ms, created_at_ms) VALUES ('n${n}', 'low:mail:${n}', '${account.accountId}', 'email', 'o', 'old', '', 'sent', 1, 0, ${clock.nowMs()})`,
      );
    }
    await limit(1_000);
    await use(900);
    const watch = open();
    await look(watch);
    expect(await listTold()).toHaveLength(10);
    clock.advanceMs(hourMs + 1);
    await watch.look();
    expect((await listTold()).filter((told: string) => !told.endsWith('old'))).toHaveLength(2);
  });

  it('finds after a start what a server that died has not told', async () => {
    await limit(1_000);
    await use(1_000);
    await open().look();
    expect(await listTold()).toEqual(['dashboard sent The key “k” has used up its budget for this month']);
  });

  it('tells of a spike once a day, on the dashboard alone where nothing else was chosen', async () => {
    const nowMs = clock.nowMs();
    for (let hour = 1; hour <= 30; hour += 1) await use(200_000, nowMs - hour * hourMs);
    await use(2_000_000);
    await look();
    await use(1_000_000);
    await look();
    expect(await listTold()).toEqual(['dashboard sent 2,000 credits were spent in this hour, 10 times the usual']);
  });

  it('lists for every member what was told, by its ways, and remembers for each of them what was read', async () => {
    ways = { email: 'owner@example.com', webhookUrl: null, endpoints: [] };
    await limit(1_000);
    await use(500);
    await look();
    await fixture.source.query(
      `INSERT INTO notice (id, subject_key, account_id, channel, recipient, title, body, state, attempts, due_at_ms, created_at_ms) VALUES ('x', 'new-device:s', '${account.accountId}', 'email', 'o', 'Somebody signed in', '', 'sent', 1, 0, ${clock.nowMs()})`,
    );
    const told = new ToldNotices(unitOfWork, clock);
    const [ada, eve] = ['ada', 'eve'].map((personId) => ({ accountId: account.accountId, personId }));
    if (!ada || !eve) throw new Error('Two people.');
    const before = await told.list(ada, 10);
    expect(before).toMatchObject([
      {
        isRead: false,
        ways: expect.arrayContaining([
          { channel: 'dashboard', state: 'sent' },
          { channel: 'email', state: 'waiting' },
        ]),
      },
    ]);
    await Promise.all([told.markRead(ada, before[0]?.atMs ?? 0), told.markRead(ada, before[0]?.atMs ?? 0)]);
    await told.markRead(ada, 1);
    expect(await told.list(ada, 10)).toMatchObject([{ isRead: true }]);
    expect(await told.list(eve, 10)).toMatchObject([{ isRead: false }]);
    clock.advanceMs(91 * 24 * hourMs);
    expect(await told.list(eve, 10)).toEqual([]);
  });
});

describeOnEachDatabase('UseWatch of a balance', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let account: { accountId: string; keyId: string };
  const clock = new FakeClock();
  const ways = { email: 'owner@example.com', webhookUrl: 'https://example.com/hook', endpoints: [] };

  beforeEach(async () => {
    account = await fixture.createFundedAccount(1_000);
  });

  const use = (tokens: number) => fixture.call(account, endingWith(tokens, 0), { heldMillicredits: tokens });
  const topUp = (millicredits: number) => fixture.ledger.grantCredits(grantOf(account.accountId, millicredits));
  function open() {
    const { unitOfWork } = fixture;
    return new UseWatch({
      ...{ unitOfWork, clock, logger: silentLogger, publicUrl: 'http://tollgate.test' },
      keySpend: new KeySpendReader(unitOfWork),
      outbox: new Outbox(unitOfWork, clock, null, silentLogger),
      findWays: async () => ways,
      findMember: async () => noMember,
    });
  }
  async function look() {
    const watch = open();
    watch.noteUse(account.accountId);
    await watch.look();
  }
  const listTold = async (channel = 'dashboard') => {
    const rows = await fixture.source.query('SELECT channel, title FROM notice ORDER BY created_at_ms, id');
    return rows
      .filter((row: Record<string, string>) => row.channel === channel)
      .map(({ title }: { title: string }) => title);
  };
  const half = '50 % of the 1 credits after your last top-up or gift were used';

  it('tells each share of the last filling once, by every way, and of the next filling anew', async () => {
    await use(499);
    await look();
    expect(await listTold()).toEqual([]);
    await use(1);
    await Promise.all([look(), look(), look(), look()]);
    for (const channel of ['dashboard', 'email', 'webhook']) expect(await listTold(channel)).toEqual([half]);

    clock.advanceMs(1);
    await topUp(1_500);
    await look();
    await use(999);
    await look();
    expect(await listTold()).toEqual([half]);
    // 500 left and 1,500 bought: the whole is 2,000.
    await use(1_001);
    await look();
    await look();
    expect(await listTold()).toEqual([half, 'Your balance is used up']);
  });

  it('waits for no room where a webhook that was given up is all that is left of what was told', async () => {
    await use(500);
    await look();
    // What is removed after 90 days; a notice that was given up stays.
    await fixture.source.query("UPDATE notice SET state = 'given_up' WHERE channel = 'webhook'");
    await fixture.source.query("DELETE FROM notice WHERE channel <> 'webhook'");
    // As a release left it that noted nothing beside its notices.
    await fixture.source.query('DELETE FROM told_filling');
    await look();
    expect(await listTold()).toEqual([half]);
    expect(await listTold('webhook')).toEqual([half]);
  });

  it('tells no share of a filling again that lasts longer than what was told of it is kept, and its next shares', async () => {
    await use(500);
    await Promise.all([look(), look(), look(), look()]);
    await fixture.source.query('DELETE FROM notice');
    await use(1);
    await look();
    expect(await listTold()).toEqual([]);
    await use(300);
    await look();
    expect(await listTold()).toEqual(['80 % of the 1 credits after your last top-up or gift were used']);
    await fixture.source.query('DELETE FROM notice');
    clock.advanceMs(1);
    await topUp(1_001);
    await use(600);
    await look();
    expect(await listTold()).toEqual(['50 % of the 1.2 credits after your last top-up or gift were used']);
  });

  it('knows from then on what an earlier release has told of a filling', async () => {
    await use(500);
    await look();
    await fixture.source.query('DELETE FROM told_filling');
    await look();
    expect(await listTold()).toEqual([half]);
    await fixture.source.query('DELETE FROM notice');
    await look();
    expect(await listTold()).toEqual([]);
  });

  it('does not take what running calls have reserved for used', async () => {
    await fixture.ledger.placeHold(holdOf(account, 1_000));
    await look();
    expect(await listTold()).toEqual([]);
  });

  it('finds after a start what a server that died has not told', async () => {
    await use(900);
    await fixture.source.query(`UPDATE api_key SET last_used_at_ms = ${clock.nowMs()}`);
    await open().look();
    expect(await listTold()).toEqual(['80 % of the 1 credits after your last top-up or gift were used']);
  });
});
