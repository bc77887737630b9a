import { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { createDataSource, openDataSource } from '../../database/data-source.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { entities, migrations } from '../../entities.js';
import { systemClock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { silentLogger } from '../../kernel/logger.js';
import { describeOnMysql } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';
import { giveSchema } from '../../test/schema-template.js';
import { stretched } from '../../test/wait-factor.js';
import { setComplete } from './key-change-log.js';
import { SharedKeyChanges, type SharedKeyChangesParts } from './shared-key-changes.js';

/** A right that outlives a moment in which the machine stands still. */
const times = { beatMs: 50, rightMs: 2_000, lostMs: 3_000, timeoutMs: stretched(10_000) };
/** Of instances that are to lose their right again and again. */
const quickTimes = { ...times, rightMs: 400, lostMs: 600 };
const rounds = Number(process.env.TOLLGATE_KEY_CHANGE_ROUNDS ?? 30);

/** One instance, whose statements wait as long as the test says. */
class Instance {
  readonly changes: SharedKeyChanges;
  readonly statements: string[] = [];
  #hold: Promise<void> | null = null;
  #skewMs = 0;

  constructor(
    private readonly source: DataSource,
    readonly id = createId('instance'),
    parts: Partial<SharedKeyChangesParts> = {},
  ) {
    const manager = {
      query: async (sql: string, parameters: unknown[]) => {
        await this.#hold;
        this.statements.push(sql);
        const answer = await source.manager.query(sql, parameters);
        await this.#hold;
        return answer;
      },
    } as unknown as EntityManager;
    this.changes = new SharedKeyChanges({
      ...{ id, unitOfWork: { reader: manager }, clock: systemClock, logger: silentLogger, channel: null, times },
      monotonicMs: () => performance.now() + this.#skewMs,
      ...parts,
    });
  }

  /** Lets nothing go to the database or come back, until the returned function is called. */
  stop(): () => void {
    let go = () => {};
    this.#hold = new Promise((resolve) => {
      go = resolve;
    });
    return go;
  }

  /** Its clock goes on by so much. */
  skip(durationMs: number): void {
    this.#skewMs += durationMs;
  }

  know(keyId: string): void {
    const { current } = this.changes;
    current.know(current.position, { keyId, accountId: 'acct_1', revision: 0, expiresAtMs: null });
  }

  takesForCurrent(keyId: string): boolean {
    return this.changes.current.isCurrent(keyId, 0);
  }

  /** Notes a change in a transaction of its own. */
  note(keyId: string | null) {
    const changed = { accountId: 'acct_1', keyId };
    return new UnitOfWork(this.source).transact((transaction) => this.changes.note(transaction, changed));
  }

  async change(keyId: string | null): Promise<void> {
    await this.changes.takenOver(await this.note(keyId));
  }
}

describeOnMysql('SharedKeyChanges', (openTestDatabase) => {
  let source: DataSource;
  const instances: Instance[] = [];

  beforeEach(async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    source = await openDataSource(createDataSource(database.address, { entities, migrations }));
  });
  afterEach(async () => {
    for (const { changes } of instances.splice(0)) await changes.close();
    await source.destroy();
  });

  async function start(parts: Partial<SharedKeyChangesParts> = {}): Promise<Instance> {
    const instance = new Instance(source, createId('instance'), parts);
    instances.push(instance);
    await instance.changes.start();
    return instance;
  }
  const startThree = async (parts: Partial<SharedKeyChangesParts> = {}) =>
    [await start(parts), await start(parts), await start(parts)] as [Instance, Instance, Instance];

  it('answers a change when no instance takes the key for current any more, whoever makes it', async () => {
    const three = await startThree();
    for (let round = 0; round < rounds; round += 1) {
      const keyId = `key_${round}`;
      for (const instance of three) {
        instance.know(keyId);
        instance.know('key_other');
        expect(instance.takesForCurrent(keyId)).toBe(true);
      }
      const beganMs = performance.now();
      await (three[round % 3] as Instance).change(keyId);
      expect(three.filter((instance) => instance.takesForCurrent(keyId))).toEqual([]);
      // Whoever gave no sign of life in time, on a machine that stalled, takes nothing for current for a moment.
      if (performance.now() - beganMs > times.rightMs / 2) continue;
      expect(three.filter((instance) => instance.takesForCurrent('key_other'))).toHaveLength(3);
    }
  }, 60_000);

  it('holds to that while instances stand still for any time at any place', async () => {
    const three = await startThree({ times: quickTimes });
    let isOver = false;
    const disturb = async (instance: Instance) => {
      while (!isOver) {
        const go = instance.stop();
        await sleep(Math.random() ** 3 * 2 * quickTimes.lostMs);
        go();
        await sleep(Math.random() * 100);
      }
    };
    const disturbing = three.slice(1).map(disturb);
    const wronged: number[] = [];
    for (let round = 0; round < rounds / 4; round += 1) {
      const keyId = `key_${round}`;
      for (const instance of three) instance.know(keyId);
      await three[0].change(keyId);
      if (three.some((instance) => instance.takesForCurrent(keyId))) wronged.push(round);
    }
    isOver = true;
    await Promise.all(disturbing);
    expect(wronged).toEqual([]);
  }, 120_000);

  it('waits for an instance whose reading stands still until that has lost its right, and no longer', async () => {
    const [one, two, still] = await startThree();
    for (const instance of [one, two, still]) instance.know('key_1');
    const go = still.stop();
    let isAnswered = false;
    const answered = one.change('key_1').then(() => {
      isAnswered = true;
    });
    await eventually(() => isAnswered || !still.takesForCurrent('key_1'), 1);
    expect(still.takesForCurrent('key_1')).toBe(false);
    await answered;
    // Known to be silent by now, nobody waits for it any more than for one that is not there.
    await one.change('key_2');
    expect(two.takesForCurrent('key_1')).toBe(false);
    go();
    await still.changes.look();
    still.know('key_3');
    expect([still.takesForCurrent('key_1'), still.takesForCurrent('key_3')]).toEqual([false, true]);
  }, 60_000);

  it('gives no right by a sign of life whose changes were not read', async () => {
    const [one, two] = await startThree();
    two.know('key_1');
    const query = mock.method(source.manager, 'query');
    query.mock.mockImplementation(async (sql) => {
      if (sql.startsWith('SELECT')) throw new Error('the connection broke');
      return { affectedRows: 1 } as never;
    });
    await eventually(() => !two.takesForCurrent('key_1'));
    query.mock.restore();
    await one.changes.look();
    await two.changes.look();
    expect(two.takesForCurrent('key_1')).toBe(true);
  });

  it('is not current on a machine that was suspended, by whichever clock tells of it', async () => {
    const wall = { ...systemClock, skewMs: 0, elapsedMs: () => systemClock.elapsedMs() + wall.skewMs };
    const instance = await start({ clock: wall });
    instance.know('key_1');
    const go = instance.stop();
    wall.skewMs = times.rightMs;
    expect(instance.takesForCurrent('key_1')).toBe(false);
    wall.skewMs = 0;
    expect(instance.takesForCurrent('key_1')).toBe(true);
    instance.skip(times.rightMs);
    expect(instance.takesForCurrent('key_1')).toBe(false);
    go();
    await instance.changes.look();
    expect(instance.takesForCurrent('key_1')).toBe(true);
  });

  it('an instance that was struck off knows of nothing until it has registered and read again', async () => {
    const instance = await start();
    instance.know('key_1');
    const go = instance.stop();
    await source.query('DELETE FROM running_instance');
    go();
    await instance.changes.look();
    expect(instance.takesForCurrent('key_1')).toBe(false);
    instance.know('key_1');
    expect(instance.takesForCurrent('key_1')).toBe(true);
  });

  it('strikes off who was silent for a minute, and removes what all have read', async () => {
    const [one, two, gone] = await startThree();
    gone.stop();
    await one.change('key_1');
    const { id } = gone;
    const find = async (sql: string) => (await source.query(sql)).length;
    expect(await find(`SELECT id FROM running_instance WHERE id = '${id}'`)).toBe(1);
    for (const instance of [one, two]) {
      instance.skip(61_000);
      await instance.changes.look();
      instance.skip(61_000);
      await instance.changes.look();
    }
    expect(await find(`SELECT id FROM running_instance WHERE id = '${id}'`)).toBe(0);
    instances.splice(instances.indexOf(gone), 1);
    expect(await find('SELECT number FROM key_change')).toBe(0);
    two.know('key_2');
    await one.change('key_2');
    expect(two.takesForCurrent('key_2')).toBe(false);
  });

  it('tells of an account, and of nothing that was rolled back', async () => {
    const [one, two] = await startThree();
    const told: unknown[] = [];
    two.changes.current.onChange((changed) => told.push(changed));
    const undone = new UnitOfWork(source).transact(async (transaction) => {
      await one.changes.note(transaction, { accountId: 'acct_9', keyId: 'key_9' });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await one.change(null);
    expect(told).toEqual([{ accountId: 'acct_1', keyId: null }]);
  });

  it('knows of nothing when the database has lost changes, or has more than are read at once', async () => {
    const [one, two] = await startThree();
    await one.change('key_1');
    for (const number of [0, 5_000]) {
      two.know('key_2');
      await source.query(`UPDATE key_change_count SET number = ${number}`);
      await two.changes.look();
      expect(two.takesForCurrent('key_2')).toBe(false);
    }
  });

  it('takes no key for current while a server of the release before may be running', async () => {
    await setComplete(source.manager, false);
    const instance = await start();
    instance.know('key_1');
    expect([instance.takesForCurrent('key_1'), instance.changes.current.isUpToDate]).toEqual([false, false]);
    await setComplete(source.manager, true);
    await instance.changes.look();
    expect(instance.changes.current.isUpToDate).toBe(true);
    // It may have been changed until now, and nobody was told.
    expect(instance.takesForCurrent('key_1')).toBe(false);
    instance.know('key_1');
    expect(instance.takesForCurrent('key_1')).toBe(true);
  });

  it('says that a change is made, and not confirmed, when the database does not answer after it', async () => {
    const instance = await start({ times: { ...times, timeoutMs: stretched(300) } });
    const noted = await instance.note('key_1');
    const go = instance.stop();
    await expect(instance.changes.takenOver(noted)).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('The change is made'),
    });
    go();
    await instance.changes.takenOver(noted);
  });

  it('asks the database two statements at each sign of life while nothing is changed', async () => {
    const instance = await start();
    await instance.change('key_1');
    await instance.changes.look();
    const before = instance.statements.length;
    await instance.changes.look();
    expect(instance.statements.slice(before).map((sql) => sql.split(' ')[0])).toEqual(['UPDATE', 'SELECT']);
  });

  it('is told at once by a channel, and loses nothing where messages are lost', async () => {
    const listeners: ((message: string) => void)[] = [];
    let isWorking = true;
    const channel = {
      publish: async (message: string) => {
        if (!isWorking) throw new Error('Redis is away');
        for (const listener of listeners) listener(message);
      },
      listen: (listener: (message: string) => void) => void listeners.push(listener),
      rest: () => {},
    };
    const slow = { ...times, beatMs: 3_600_000, rightMs: 3_600_000, lostMs: 3_700_000 };
    const [one, two] = [await start({ channel, times: slow }), await start({ channel, times: slow })];
    two.know('key_1');
    await one.change('key_1');
    expect(two.takesForCurrent('key_1')).toBe(false);
    isWorking = false;
    const answered = one.changes.takenOver(await one.note('key_2'));
    await two.changes.look();
    await answered;
  });
});
