import { type Connection, createConnection } from 'mysql2/promise';
import { actAs, findStanding } from '../../audit/acting.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { systemClock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import {
  adminUrlOf,
  databaseUrlOf,
  describeOnEachDatabase,
  describeOnMysql,
  type TestDatabase,
} from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { makePurchasesParts } from '../../test/purchases-parts.js';
import { TopUpOutcomes } from '../../top-ups/top-up-outcomes.js';
import { AccountDesk } from '../accounts/account-desk.js';
import { OperatorLog } from '../operator-log.js';
import type { OperatorCaller } from './operator-sessions.js';
import { operatorStanding } from './operator-standing.js';
import { OperatorTokens } from './operator-tokens.js';

const ends: readonly (readonly [string, string])[] = [
  ['they were disabled', 'UPDATE operator SET disabled_at_ms = 1'],
  ['their role was changed', `UPDATE operator SET role = 'support'`],
  ['their session ended', 'DELETE FROM operator_session'],
];

const reason = 'Charged twice';
const credits = (accountId: string) => ({ accountId, amountMillicredits: toMillicredits(5), reason });
/** What the ledger does for an operator, each with its line in their log. */
const booked: Readonly<Record<string, (desk: AccountDesk, accountId: string) => Promise<unknown>>> = {
  'a grant': (desk, accountId) => desk.grant(credits(accountId)),
  'credits taken back': (desk, accountId) => desk.takeBack(credits(accountId)),
  'a freeze': (desk, accountId) => desk.freeze(accountId, reason),
  'its end': (desk, accountId) => desk.open(accountId, reason),
};

/** Grace, who works here, and an account. */
class Desk {
  readonly unitOfWork: UnitOfWork;
  readonly #topUps: TopUpOutcomes;

  private constructor(
    readonly fixture: LedgerFixture,
    readonly grace: OperatorCaller,
    readonly accountId: string,
  ) {
    this.unitOfWork = new UnitOfWork(fixture.source, findStanding);
    this.#topUps = new TopUpOutcomes({
      ...makePurchasesParts(fixture, systemClock),
      publicUrl: 'http://tollgate.test',
    });
  }

  static async open(database: TestDatabase): Promise<Desk> {
    const fixture = await LedgerFixture.open(database);
    const operatorId = createId('operator');
    const sessionId = createId('operatorSession');
    const email = 'grace@tollgate.test';
    await fixture.source.manager.insert('operator', {
      ...{ id: operatorId, email, emailNormalised: email, name: 'Grace', passwordHash: 'h' },
      ...{ sealedSecret: 's', lastStep: 0, role: 'owner', createdAtMs: 0, disabledAtMs: null },
    });
    await fixture.source.manager.insert('operator_session', {
      ...{ id: sessionId, operatorId, tokenHash: 'h', createdAtMs: 0, lastUsedAtMs: 0, provedAtMs: 0 },
    });
    const grace = { operatorId, sessionId, name: 'Grace', email, role: 'owner', isFresh: true } as const;
    const { accountId } = await fixture.createFundedAccount(1_000);
    // Which the credits that are taken back would set off.
    await fixture.source.manager.insert('auto_top_up', {
      ...{ accountId, isOn: true, thresholdMillicredits: 1_001, amountCents: 500, monthlyCapCents: 500 },
      ...{ failuresInARow: 0, revision: 0 },
    });
    return new Desk(fixture, grace, accountId);
  }

  rename(caller: OperatorCaller) {
    const rename = () =>
      this.unitOfWork.transact((transaction) => transaction.query(`UPDATE operator SET name = 'Late'`));
    return actAs(null, rename, operatorStanding(caller));
  }

  async readName(): Promise<string> {
    return (await this.fixture.source.query('SELECT name FROM operator'))[0].name;
  }

  book(name: string, caller = this.grace) {
    const parts = { ledger: this.fixture.ledger, keys: { revokeKey: () => Promise.reject(new Error('not asked')) } };
    const desk = new AccountDesk({
      ...parts,
      unitOfWork: this.unitOfWork,
      findTakeBackWrites: (taken) => this.#topUps.findTakeBackWrites(taken),
      log: new OperatorLog(this.unitOfWork, systemClock, 'Grace'),
    });
    return actAs(null, () => booked[name]?.(desk, this.accountId), operatorStanding(caller));
  }

  async readBooks(): Promise<object> {
    const { source } = this.fixture;
    const wallets = await source.query('SELECT * FROM ledger_account');
    const topUps = await source.query('SELECT is_on, failure, revision FROM auto_top_up');
    const notices = await source.query('SELECT id FROM notice');
    return { wallets, topUps, notices, log: await source.query('SELECT * FROM operator_event') };
  }
}

describeOnEachDatabase('What an operator has asked for before they were ended', (openTestDatabase) => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await Desk.open(await openTestDatabase());
  });
  afterEach(() => desk.fixture.close());

  it.each(ends)('is refused once %s, and changes nothing', async (_, end) => {
    await desk.fixture.source.query(end);
    await expect(desk.rename(desk.grace)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await desk.readName()).toBe('Grace');
  });

  it('is done while they may, and not by a token that was taken back', async () => {
    const script = { ...desk.grace, tokenName: 'script' };
    await expect(desk.rename(script)).rejects.toMatchObject({ code: 'unauthenticated' });
    await desk.rename(desk.grace);
    expect(await desk.readName()).toBe('Late');
  });

  it.each(ends)('is not booked by the ledger once %s, whatever it is', async (_, end) => {
    await desk.fixture.source.query(end);
    const before = await desk.readBooks();
    for (const name of Object.keys(booked)) {
      await expect(desk.book(name)).rejects.toMatchObject({ code: 'unauthenticated' });
      expect(await desk.readBooks()).toEqual(before);
    }
  });

  it('is booked with its line while they may, and not by a token that was taken back', async () => {
    for (const name of Object.keys(booked)) await desk.book(name);
    expect(await desk.fixture.countRows('operator_event')).toBe(4);
    expect(await desk.readBooks()).toMatchObject({ topUps: [{ failure: 'taken_back' }], notices: [{}] });
    const script = { ...desk.grace, tokenName: 'script' };
    await expect(desk.book('a grant', script)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await desk.fixture.countRows('operator_event')).toBe(4);
  });
});

describeOnMysql('The end of an operator', (openTestDatabase) => {
  let desk: Desk;
  let ending: Connection;
  let watcher: Connection;

  beforeEach(async () => {
    desk = await Desk.open(await openTestDatabase());
    const { database } = desk.fixture;
    ending = await createConnection(databaseUrlOf(database.address));
    watcher = await createConnection(adminUrlOf(database).href);
  });
  afterEach(async () => {
    await ending.end();
    await watcher.end();
    await desk.fixture.close();
  });

  const isSomebodyWaiting = async () => {
    const name = new URL(databaseUrlOf(desk.fixture.database.address)).pathname.slice(1);
    const [rows] = await watcher.query(
      `SELECT process.id FROM information_schema.innodb_trx AS trx JOIN information_schema.processlist AS process
       ON process.id = trx.trx_mysql_thread_id WHERE trx.trx_state = 'LOCK WAIT' AND process.db = '${name}'`,
    );
    return (rows as unknown[]).length === 1;
  };

  it('is waited for where it is under way by what the ledger is asked to book, which is refused behind it', async () => {
    await ending.query('BEGIN');
    await ending.query('UPDATE operator SET disabled_at_ms = 1');
    const grant = desk.book('a grant').then(
      () => 'granted',
      (error: { code: string }) => error.code,
    );
    await eventually(isSomebodyWaiting, 150);
    await ending.query('COMMIT');
    expect(await grant).toBe('unauthenticated');
    expect(await desk.fixture.countRows('operator_event')).toBe(0);
  });

  it('by another owner, who takes back a token of theirs, waits for what the script has begun', async () => {
    const { fixture, grace, unitOfWork } = desk;
    const id = createId('operatorToken');
    await fixture.source.manager.insert('operator_token', {
      ...{ id, operatorId: grace.operatorId, name: 'script', role: 'finance', tokenHash: 'h', ending: 'abcd' },
      ...{ createdAtMs: 0, expiresAtMs: 1, lastUsedAtMs: null },
    });
    const log = new OperatorLog(unitOfWork, systemClock, 'Ada');
    const tokens = new OperatorTokens({ unitOfWork, clock: systemClock, log });
    await ending.query('BEGIN');
    await ending.query('UPDATE operator SET id = id');
    const revoked = tokens.revoke({ ...grace, operatorId: createId('operator') }, id, 'Lost');
    await eventually(isSomebodyWaiting, 150);
    await ending.query('COMMIT');
    await revoked;
    expect(await fixture.countRows('operator_token')).toBe(0);
  });
});
