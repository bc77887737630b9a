import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { FakeClock, systemClock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { createLogger, type Logger, silentLogger } from '../../kernel/logger.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { KeyAuthenticator } from '../../keys/authenticate-key.js';
import { CurrentKeys } from '../../keys/changes/current-keys.js';
import { mintSecret } from '../../keys/key-secret.js';
import type { Ledger } from '../../ledger/ledger.js';
import { openLedger } from '../../ledger/open-ledger.js';
import { adminUrlOf, describeOnOwnMysql, type TestDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { endingWith, holdOf, LedgerFixture } from '../../test/ledger-fixture.js';
import { makeTestFolder } from '../../test/test-folder.js';
import { findDatabaseAway } from '../database-errors.js';
import { ServingCheck } from '../proofs/serving-check.js';
import { UnitOfWork } from '../unit-of-work.js';
import { keepToDatabase } from './keep-to-database.js';

describeOnOwnMysql('A database that is replaced beneath a server', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let admin: Connection;
  let ours: string;
  let aside: string;
  let ledger: Ledger;
  let spoolFolder: string;
  let unitOfWork: UnitOfWork;
  let databaseId: string;
  let lines: { readonly event: string; readonly remedy?: string }[];

  const nameOf = (database: TestDatabase) => adminUrlOf(database).pathname.slice(1);
  const moveTables = async (from: string, to: string) => {
    const [triggers] = await admin.query<RowDataPacket[]>(
      `SELECT TRIGGER_NAME AS name FROM information_schema.triggers WHERE TRIGGER_SCHEMA = '${from}'`,
    );
    for (const { name } of triggers) await admin.query(`DROP TRIGGER ${from}.${name}`);
    const [tables] = await admin.query<RowDataPacket[]>(
      `SELECT TABLE_NAME AS name FROM information_schema.tables WHERE TABLE_SCHEMA = '${from}'`,
    );
    await admin.query('SET foreign_key_checks = 0');
    const renames = tables.map(({ name }) => `${from}.${name} TO ${to}.${name}`);
    await admin.query(`RENAME TABLE ${renames.join(', ')}`);
  };
  const logger = (): Logger =>
    createLogger('info', { destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  const findPlaceLines = () => lines.filter(({ event }) => /^database_(replaced|back_in_place)$/.test(event));

  beforeEach(async () => {
    lines = [];
    fixture = await LedgerFixture.open(await openTestDatabase());
    ours = nameOf(fixture.database);
    aside = nameOf(await openTestDatabase());
    admin = await createConnection(adminUrlOf(fixture.database).href);
    unitOfWork = fixture.unitOfWork;
    databaseId = await keepToDatabase(unitOfWork, logger());
    spoolFolder = makeTestFolder('spool');
    const { address } = fixture.database;
    ledger = openLedger({ address, spoolFolder, logger: silentLogger, instance: 'serving', databaseId });
    await ledger.start();
  });
  afterEach(async () => {
    await ledger.close();
    await admin.end();
    await fixture.close();
  });

  /** Another installation, which has never heard of our accounts; its tables lie in a database of its own until then. */
  const makeOtherInstallation = async () => {
    const other = await LedgerFixture.open(await openTestDatabase());
    await keepToDatabase(new UnitOfWork(other.source), silentLogger);
    await other.ledger.close();
    await other.source.destroy();
    return nameOf(other.database);
  };

  it.each(['another installation', 'nothing'])(
    'by %s: nothing is asked or booked there, settlements wait on the disk, health and log say so; all is booked when it is back',
    async (what) => {
      const account = await fixture.createFundedAccount(1_000);
      const hold = holdOf(account, 100);
      const { callId } = hold;
      await ledger.placeHold(hold);
      const clock = new FakeClock();
      const serving = new ServingCheck({ source: fixture.source, unitOfWork, clock });
      const currentKeys = new CurrentKeys(systemClock, () => false);
      const authenticator = new KeyAuthenticator(unitOfWork, systemClock, silentLogger, currentKeys);
      const isServing = async () => {
        clock.advanceMs(1_000);
        return serving.assertServes().then(
          () => true,
          (error: unknown) => {
            expect(findDatabaseAway(error)).toMatchObject({ code: 'service_unavailable' });
            return false;
          },
        );
      };
      expect(await isServing()).toBe(true);

      const other = what === 'nothing' ? null : await makeOtherInstallation();
      await moveTables(ours, aside);
      if (other !== null) await moveTables(other, ours);
      await expect(authenticator.authenticate(mintSecret())).rejects.toMatchObject({ code: 'service_unavailable' });
      const settlement = { callId, accountId: account.accountId, ending: endingWith(20, 10) };
      expect(await ledger.settleHold(settlement)).toEqual({ status: 'kept' });
      await expect(ledger.placeHold({ ...hold, callId: createId('call') })).rejects.toMatchObject({
        code: 'service_unavailable',
      });
      await eventually(async () => !(await isServing()), 20);
      const write = unitOfWork.transact((transaction) => transaction.query('DELETE FROM account'));
      expect(findDatabaseAway(await write.catch((error: unknown) => error))).toMatchObject({
        code: 'service_unavailable',
      });
      // It was tried again meanwhile, and is not given up.
      expect(existsSync(join(spoolFolder, 'quarantine'))).toBe(false);
      expect(findPlaceLines()).toEqual([
        expect.objectContaining({ event: 'database_replaced', remedy: expect.stringContaining('DATABASE_URL') }),
      ]);

      if (other !== null) await moveTables(ours, other);
      await moveTables(aside, ours);
      await eventually(isServing, 20);
      await eventually(async () => (await fixture.countRows('call_record')) === 1, 20);
      expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 970, pending: 0 });
      expect(findPlaceLines().map(({ event }) => event)).toEqual(['database_replaced', 'database_back_in_place']);
      await authenticator.drain();
    },
    120_000,
  );

  describe('by another installation that knows the same accounts, under connections that stay open', () => {
    let account: { accountId: string; keyId: string };
    const answerAs = (id: string) => admin.query(`UPDATE ${ours}.replica_mark SET name = '${id}' WHERE id = 1`);
    const readThere = async (sql: string) => (await admin.query<RowDataPacket[]>(sql))[0];
    const placeHold = (callId: string) => ledger.placeHold(holdOf(account, 100, { callId }));
    beforeEach(async () => {
      account = await fixture.createFundedAccount(1_000);
    });

    it('commits nothing there: a settlement waits on the disk, and is booked when ours is back', async () => {
      const callIds = Array.from({ length: 8 }, () => createId('call'));
      await Promise.all(callIds.map(placeHold));
      await answerAs('another');
      const [callId = ''] = callIds;
      const settlement = { callId, accountId: account.accountId, ending: endingWith(20, 10) };
      expect(await ledger.settleHold(settlement)).toEqual({ status: 'kept' });
      const grant = { transferId: 'grant:a', type: 'grant', amountMillicredits: toMillicredits(5) } as const;
      await expect(ledger.grantCredits({ ...grant, accountId: account.accountId })).rejects.toBeDefined();
      expect(
        await readThere(`SELECT debits_posted AS posted, credits_posted AS put FROM ${ours}.ledger_account`),
      ).toEqual(expect.arrayContaining([expect.objectContaining({ posted: 0, put: 1_000 })]));
      expect(await readThere(`SELECT call_id FROM ${ours}.call_record`)).toEqual([]);

      await answerAs(databaseId);
      await eventually(async () => (await fixture.countRows('call_record')) === 1, 20);
      expect((await fixture.findWallet(account.accountId)).posted).toBe(970);
    }, 60_000);

    it('waits for nobody who keeps the row of the id locked', async () => {
      await admin.beginTransaction();
      await admin.query(`SELECT * FROM ${ours}.replica_mark FOR UPDATE`);
      expect(await placeHold(createId('call'))).toMatchObject({ status: 'held' });
      await unitOfWork.transact((transaction) => transaction.query("UPDATE account SET name = 'b'"));
      await admin.rollback();
    }, 60_000);

    it('changes nothing there beside the ledger, also where the connection was asked a moment before', async () => {
      await unitOfWork.assertInPlace();
      await answerAs('another');
      const write = unitOfWork.transact((transaction) => transaction.query("UPDATE account SET name = 'changed'"));
      expect(findDatabaseAway(await write.catch((error: unknown) => error))).toMatchObject({
        code: 'service_unavailable',
      });
      expect(await readThere(`SELECT name FROM ${ours}.account`)).toEqual([{ name: 'a' }]);
      await answerAs(databaseId);
      await eventually(
        () =>
          unitOfWork.assertInPlace().then(
            () => true,
            () => false,
          ),
        20,
      );
    }, 60_000);
  });
});
