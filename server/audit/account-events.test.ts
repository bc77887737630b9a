import { systemClock } from '../kernel/clock.js';
import { leastIdAt } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { AccountEvents } from './account-events.js';
import { type Actor, actAs } from './acting.js';
import { type EventKind, eventKinds } from './event-kinds.js';
import { FailedSignIns } from './failed-sign-ins.js';
import { eventKeptMs, eventsPerAccountMax, noteEvent } from './note-event.js';

const here: Actor = { actorId: 'sess_1', address: '2001:db8:1:2:3::4', userAgent: 'Firefox\n'.repeat(100) };

describeOnEachDatabase('The events of an account', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let events: AccountEvents;

  beforeEach(async () => {
    events = new AccountEvents(fixture.unitOfWork);
  });

  const note = (kind: 'key_created' | 'signed_in' | 'profile_changed', accountId = 'acct_1') =>
    fixture.unitOfWork.transact((transaction) => noteEvent(transaction, { accountId, kind, detail: 'Laptop' }));
  const list = (filter = {}, beforeId: string | null = null, first = 2) =>
    events.listEvents('acct_1', filter, { first, beforeId });
  const fill = async (count: number, atMs: number) => {
    const head = leastIdAt('accountEvent', atMs).slice(0, -6);
    for (let from = 0; from < count; from += 500) {
      const rows = Array.from({ length: Math.min(500, count - from) }, (_, n) => {
        const id = `${head}${String(from + n).padStart(6, '0')}`;
        return `('${id}', 'acct_1', 'signed_in', ${atMs})`;
      });
      await fixture.source.query(
        `INSERT INTO account_event (id, account_id, kind, created_at_ms) VALUES ${rows.join(', ')}`,
      );
    }
  };

  it('may be of every kind there is', async () => {
    const kinds = Object.keys(eventKinds) as EventKind[];
    await fixture.unitOfWork.transact(async (transaction) => {
      for (const kind of kinds) await noteEvent(transaction, { accountId: 'acct_1', kind });
    });
    expect((await list({}, null, 100)).items.map(({ kind }) => kind)).toEqual(kinds.toReversed());
  });

  it('tell who, from which network and by which program, cut to size, side by side without a mix-up', async () => {
    const others = Array.from({ length: 20 }, (_, n) =>
      actAs({ ...here, actorId: `sess_${n}`, address: `192.0.2.${n}` }, () => note('signed_in', `acct_${n + 100}`)),
    );
    await Promise.all([...others, actAs(here, () => note('key_created'))]);
    const [event] = (await list()).items;
    expect(event).toMatchObject({
      kind: 'key_created',
      actorId: 'sess_1',
      network: '2001:db8:1:0::/56',
      detail: 'Laptop',
    });
    expect(event?.userAgent).toHaveLength(191);
    const rows = await fixture.source.query(
      `SELECT account_id, actor_id, network FROM account_event WHERE account_id <> 'acct_1'`,
    );
    for (const { account_id: account, actor_id: actor, network } of rows) {
      const n = Number(account.slice(5)) - 100;
      expect([actor, network]).toEqual([`sess_${n}`, `192.0.2.${n}`]);
    }
    await note('profile_changed');
    expect((await list()).items[0]).toMatchObject({ actorId: null, network: null, userAgent: null });
  });

  it('are nowhere when what they tell of did not happen', async () => {
    const failing = fixture.unitOfWork.transact(async (transaction) => {
      await noteEvent(transaction, { accountId: 'acct_1', kind: 'key_created' });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await fixture.countRows('account_event')).toBe(0);
  });

  it('are listed newest first, page by page, by kind, actor and time, and none of another account', async () => {
    const startedMs = Date.now();
    for (const kind of ['key_created', 'signed_in', 'profile_changed'] as const) await actAs(here, () => note(kind));
    await note('signed_in', 'acct_2');
    const first = await list();
    expect(first).toMatchObject({ hasNextPage: true, items: [{ kind: 'profile_changed' }, { kind: 'signed_in' }] });
    const second = await list({}, first.items[1]?.id ?? null);
    expect(second).toMatchObject({ hasNextPage: false, items: [{ kind: 'key_created' }] });
    expect((await list({ kinds: ['key_created'] })).items).toHaveLength(1);
    expect((await list({ actorId: 'sess_other' })).items).toEqual([]);
    expect((await list({ fromMs: startedMs }, null, 9)).items).toHaveLength(3);
    expect((await list({ toMs: startedMs })).items).toEqual([]);
  });

  it('are the newest five thousand of a year', async () => {
    const nowMs = Date.now();
    await fill(10, nowMs - eventKeptMs - 60_000);
    await fill(eventsPerAccountMax + 5, nowMs - 60_000);
    await note('key_created');
    expect(await fixture.countRows('account_event')).toBe(eventsPerAccountMax);
    expect((await list()).items[0]?.kind).toBe('key_created');
  });

  it('stay when a clock that was set forward says that they are over a year old, until it has stood by that for a day', async () => {
    const nowMs = Date.now();
    // As they are where the clock was right when they were written.
    await fill(10, nowMs - eventKeptMs - 60_000);
    await note('key_created');
    await note('key_created');
    expect(await fixture.countRows('account_event')).toBe(12);
    await fill(1, nowMs - 25 * 60 * 60_000);
    await note('key_created');
    expect(await fixture.countRows('account_event')).toBe(14);
    await fill(1, nowMs - 24 * 60 * 60_000 - 1_000);
    await fill(10, nowMs - 2 * eventKeptMs);
    await note('key_created');
    expect(await fixture.countRows('account_event')).toBe(16);
  });

  it('count failed sign-ins up to twenty a day, and none of an address without an account', async () => {
    const failures = new FailedSignIns(fixture.unitOfWork, systemClock, silentLogger);
    for (let n = 0; n < 30; n += 1) failures.note('acct_1', { ...here, actorId: null });
    failures.note(null, here);
    expect(await fixture.countRows('account_event')).toBe(0);
    await failures.writeDown();
    expect(await fixture.countRows('account_event', "kind = 'sign_in_failed'")).toBe(20);
  });
});

describeOnEachDatabase('The events of an account, for its owner', (openTestDatabase) => {
  it('are answered to the session and as a file, to no key and nobody else, and tell of the download', async () => {
    const app = await TestApp.start(await openTestDatabase());
    const [ada, eve] = [await app.createAccount(5), await app.createAccount(0)];
    const query = `{ accountEvents(filter: { kinds: [KEY_CREATED, CREDITS_BOUGHT] }) { edges { node { kind at detail network } } } }`;
    const { accountEvents } = await app.graphql<{ accountEvents: { edges: { node: object }[] } }>(
      query,
      {},
      ada.sessionToken,
    );
    expect(accountEvents.edges.map(({ node }) => node)).toMatchObject([
      { kind: 'CREDITS_BOUGHT' },
      { kind: 'KEY_CREATED', detail: 'test', network: '127.0.0.1' },
    ]);
    await expect(app.graphql(query, {}, ada.secret)).rejects.toThrow('session_required');
    const download = (secret: string) =>
      fetch(`${app.baseUrl}/export/events.csv`, { headers: { authorization: `Bearer ${secret}` } });
    const text = await (await download(ada.sessionToken)).text();
    expect(text.split('\n')[0]?.trim()).toBe('at,event,actor,subject,detail,network,user_agent,id,person,role');
    expect(text).toContain(',data_exported,');
    expect(text).toContain(',key_created,');
    expect(await (await download(eve.sessionToken)).text()).not.toContain(',credits_bought,');
    expect((await download(ada.secret)).status).toBe(403);
    await app.close();
  });
});
