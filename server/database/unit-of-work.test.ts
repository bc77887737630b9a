import { setImmediate as turn } from 'node:timers/promises';
import { describeOnEachDatabase, describeOnMysql, openSqliteDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { createDataSource, openDataSource } from './data-source.js';
import { Sqlite } from './sqlite-driver.js';
import { UnitOfWork } from './unit-of-work.js';

const noTables = { entities: [], migrations: [] };

describe('UnitOfWork on SQLite', () => {
  it('commits again after SQLite has ended transactions by itself, as it does when its disk fails or is full', async () => {
    const database = await openSqliteDatabase();
    const source = await createDataSource(database.address, noTables).initialize();
    const beside = await createDataSource(database.address, noTables).initialize();
    const unitOfWork = new UnitOfWork(source);
    const insert = (words: string) => unitOfWork.transact((transaction) => transaction.query(words));
    await source.query('CREATE TABLE t (x INTEGER PRIMARY KEY, y INTEGER REFERENCES t DEFERRABLE INITIALLY DEFERRED)');
    await insert('INSERT INTO t VALUES (1, NULL)');
    // The first ends the whole transaction by itself, the second can only not be committed: as a write and a sync that fail.
    const failing = ['INSERT OR ROLLBACK INTO t VALUES (1, NULL)', 'INSERT INTO t VALUES (8, 9)'];
    for (const words of failing) await expect(insert(words)).rejects.toThrow('constraint failed');
    await insert('INSERT INTO t VALUES (2, NULL)');
    // Seen by another connection, so it is committed; and that one may write, so nothing is locked.
    await expect(beside.query('SELECT x FROM t ORDER BY x')).resolves.toEqual([{ x: 1 }, { x: 2 }]);
    await beside.query('INSERT INTO t VALUES (3, NULL)');
    await source.destroy();
    await beside.destroy();
    await database.drop();
  });

  describe('in a file that another program has locked', () => {
    async function openLocked() {
      const database = await openSqliteDatabase();
      const source = await openDataSource(createDataSource(database.address, noTables));
      await source.query('CREATE TABLE t (x INTEGER)');
      const holder = new Sqlite((database.address as { file: string }).file);
      holder.exec('BEGIN IMMEDIATE');
      const close = async () => {
        holder.close();
        await source.destroy();
        await database.drop();
      };
      return { source, unitOfWork: new UnitOfWork(source), holder, close };
    }

    it('begins no work before it has the lock, lets the loop run meanwhile, and commits each once when it has', async () => {
      const { source, unitOfWork, holder, close } = await openLocked();
      const begun: number[] = [];
      const writes = [1, 2, 3].map((x) =>
        unitOfWork.transact(async (transaction) => {
          begun.push(x);
          await transaction.query(`INSERT INTO t VALUES (${x})`);
        }),
      );
      for (let turns = 0; turns < 100; turns += 1) await turn();
      expect(begun).toEqual([]);
      // Who only reads waits for nobody.
      await expect(source.query('SELECT x FROM t')).resolves.toEqual([]);
      holder.exec('ROLLBACK');
      await Promise.all(writes);
      expect(begun).toEqual([1, 2, 3]);
      await expect(source.query('SELECT x FROM t ORDER BY x')).resolves.toEqual([{ x: 1 }, { x: 2 }, { x: 3 }]);
      await close();
    });

    it('turns all who wait away together, with a wait to name, and serves again when it is let go', async () => {
      const { unitOfWork, holder, close } = await openLocked();
      const insert = () => unitOfWork.transact((transaction) => transaction.query('INSERT INTO t VALUES (1)'));
      let looks = 0;
      const looking = setInterval(() => {
        looks += 1;
      }, 10);
      const results = await Promise.allSettled(Array.from({ length: 200 }, insert));
      clearInterval(looking);
      const refusal = { code: 'service_unavailable', retryAfterMs: 2_000 };
      for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: refusal });
      // Of the five hundred that there is time for.
      expect(looks).toBeGreaterThan(100);
      holder.exec('ROLLBACK');
      await insert();
      await close();
    }, 60_000);
  });
});

describeOnEachDatabase('UnitOfWork', (openTestDatabase) => {
  it('commits all of a transaction or none, whoever else is at work', async () => {
    const source = await createDataSource((await openTestDatabase()).address, noTables).initialize();
    const unitOfWork = new UnitOfWork(source);
    await source.query('CREATE TABLE t (x INTEGER)');
    const insertTwo = (at: number) =>
      unitOfWork.transact(async (transaction) => {
        await transaction.query(`INSERT INTO t VALUES (${at})`);
        if (at % 2 === 0) throw new Error('no');
        await transaction.query(`INSERT INTO t VALUES (${at})`);
        return at;
      });
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => insertTwo(at)));
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(10);
    const rows: { n: number | string }[] = await source.query('SELECT COUNT(*) AS n FROM t WHERE x % 2 = 1');
    const others: { n: number | string }[] = await source.query('SELECT COUNT(*) AS n FROM t WHERE x % 2 = 0');
    expect([Number(rows[0]?.n), Number(others[0]?.n)]).toEqual([20, 0]);
    await source.destroy();
  });
});

describeOnMysql('UnitOfWork whose work loses each deadlock', (openTestDatabase) => {
  it('tries five times, says then that nothing was changed and when to come again, and holds up nobody behind it', async () => {
    const source = await createDataSource((await openTestDatabase()).address, noTables).initialize();
    await source.query('CREATE TABLE t (x INTEGER)');
    const unitOfWork = new UnitOfWork(source);
    let tries = 0;
    const loses = unitOfWork.transactInTurn('acct_1', async (transaction) => {
      tries += 1;
      await transaction.query('INSERT INTO t VALUES (1)');
      await transaction.query("SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'Deadlock found'");
    });
    const behind = unitOfWork.transactInTurn('acct_1', (transaction) => transaction.query('INSERT INTO t VALUES (2)'));
    await expect(loses).rejects.toMatchObject({ code: 'service_unavailable', retryAfterMs: 2_000 });
    await behind;
    expect([tries, await source.query('SELECT x FROM t')]).toEqual([5, [{ x: 2 }]]);
    await source.destroy();
  });
});

describeOnMysql('UnitOfWork of an instance that stands still', (openTestDatabase) => {
  it('keeps its rows from other instances for seconds, and commits nothing of a transaction that the server has ended', async () => {
    const { address } = await openTestDatabase();
    const open = () => createDataSource(address, noTables).initialize();
    const [standing, other] = [await open(), await open()];
    await other.query('CREATE TABLE t (id INTEGER PRIMARY KEY, x INTEGER)');
    await other.query('INSERT INTO t VALUES (1, 0), (2, 0)');
    let goOn = () => {};
    const isGoing = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let isLocked = false;
    const ended = new UnitOfWork(standing)
      .transact(async (transaction) => {
        await transaction.query('SELECT x FROM t WHERE id = 1 FOR UPDATE');
        isLocked = true;
        await isGoing;
        await transaction.query('UPDATE t SET x = 5 WHERE id = 1');
      })
      .catch((error: unknown) => error);
    await eventually(() => isLocked);
    const add = () =>
      new UnitOfWork(other).transact((transaction) => transaction.query('UPDATE t SET x = x + 1 WHERE id = 1'));
    await eventually(() =>
      add().then(
        () => true,
        () => false,
      ),
    ).finally(goOn);
    expect(await ended).toBeInstanceOf(Error);
    expect(await other.query('SELECT x FROM t ORDER BY id')).toEqual([{ x: 1 }, { x: 0 }]);
    // The next one has a connection that lives.
    await new UnitOfWork(standing).transact((transaction) => transaction.query('UPDATE t SET x = 2 WHERE id = 2'));
    await standing.destroy();
    await other.destroy();
  }, 60_000);
});
