import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { tryLock } from '../../database/process-lock.js';
import { silentLogger } from '../../kernel/logger.js';
import { eventually } from '../../test/eventually.js';
import { FaultyDisk } from '../../test/faulty-disk.js';
import { endingWith } from '../../test/ledger-fixture.js';
import { makeTestFolder } from '../../test/test-folder.js';
import type { SettleInput } from '../ledger-types.js';
import { listSpoolFiles, readSpool } from './read-spools.js';
import { SettlementSpool, type SpoolOptions } from './settlement-spool.js';
import { slotBytes } from './spool-records.js';

type Damage = readonly [what: string, damage: (slots: string, lock: string, folder: string) => void];

const damages: readonly Damage[] = [
  ['its file is removed', (slots) => rmSync(slots)],
  ['its lock is removed', (_, lock) => rmSync(lock)],
  ['both are removed', (slots, lock) => [slots, lock].map((file) => rmSync(file))],
  ['the folder is removed', (_, __, folder) => rmSync(folder, { recursive: true })],
  [
    'the folder is removed and made again',
    (_, __, folder) => {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
    },
  ],
  ['the folder is moved away', (_, __, folder) => renameSync(folder, `${folder}-away`)],
  [
    'the folder is moved, and a link to another one lies in its place',
    (_, __, folder) => {
      renameSync(folder, `${folder}-away`);
      mkdirSync(`${folder}-other`);
      symlinkSync(`${folder}-other`, folder);
    },
  ],
  [
    'another file lies in the place of its file',
    (slots) => {
      writeFileSync(`${slots}.new`, Buffer.alloc(2_000 * slotBytes));
      renameSync(`${slots}.new`, slots);
    },
  ],
  [
    'another file lies in the place of its lock',
    (_, lock) => {
      rmSync(lock);
      writeFileSync(lock, '');
    },
  ],
  ['its file is emptied', (slots) => truncateSync(slots)],
  ['its file is cut to a half', (slots) => truncateSync(slots, 512 * slotBytes)],
  ['its file is closed to its owner', (slots) => chmodSync(slots, 0)],
  ['its lock is closed to its owner', (_, lock) => chmodSync(lock, 0)],
];

describe('SettlementSpool, when its files are moved or removed beneath it', () => {
  let folder: string;
  let above: string;
  const opened: SettlementSpool[] = [];
  beforeEach(() => {
    above = makeTestFolder('moved-spool');
    folder = join(above, 'spool');
  });
  afterEach(async () => {
    for (const spool of opened.splice(0)) await spool.close();
    rmSync(above, { recursive: true, force: true });
  });

  const settlement = (n: number): SettleInput => ({
    callId: `call_${n}`,
    accountId: 'acct_1',
    ending: endingWith(n, 1),
  });

  async function openSpool(logger = silentLogger, options: SpoolOptions = {}): Promise<SettlementSpool> {
    const spool = new SettlementSpool(folder, 'one', logger, options);
    opened.push(spool);
    await spool.ready;
    return spool;
  }

  const findSlots = () => join(folder, String(readdirSync(folder).find((name) => name.endsWith('.slots'))));

  /** What would be found now in files that have a living owner, as a kill of that owner would leave them. */
  async function listFound(): Promise<string[]> {
    const found: string[] = [];
    for (const file of await listSpoolFiles(folder)) {
      const { records } = await readSpool(file);
      if (records.length === 0) continue;
      expect(existsSync(`${file.path}.lock`)).toBe(true);
      expect(tryLock(`${file.path}.lock`)).toBeNull();
      for (const { input } of records) found.push(input.callId);
    }
    return found.sort();
  }

  /** Leaves a spool behind as a process that died would. @returns its file. */
  async function leaveBehind(count: number): Promise<string> {
    const spool = new SettlementSpool(folder, 'dead', silentLogger);
    for (let n = 0; n < count; n += 1) await spool.keep(settlement(n));
    await spool.close();
    return findSlots();
  }

  describe.each(damages)('%s', (_, damage) => {
    it('has what waits where the next process finds it with the next look, and says that it was moved', async () => {
      const lines: string[] = [];
      const logger = { ...silentLogger, error: (line: string) => void lines.push(line) };
      const spool = await openSpool(logger);
      for (const n of [1, 2, 3]) await spool.keep(settlement(n));
      spool.forget('call_2');
      const slots = findSlots();
      damage(slots, `${slots}.lock`, folder);
      await spool.lookNow();
      expect(await listFound()).toEqual(['call_1', 'call_3']);
      expect(lines).toEqual(['spool_file_moved']);
      expect(spool.room).toEqual({ isReady: true, reason: null });
      await spool.lookNow();
      expect([lines.length, spool.movedFileCount]).toEqual([1, 1]);
    });

    it('keeps the next settlement where it is found, and all before it, without a look', async () => {
      const spool = await openSpool();
      await spool.keep(settlement(1));
      const slots = findSlots();
      damage(slots, `${slots}.lock`, folder);
      await Promise.all([2, 3].map((n) => spool.reserve(`call_${n}`)));
      expect(await Promise.all([2, 3].map((n) => spool.keep(settlement(n))))).toEqual([true, true]);
      expect(await listFound()).toEqual(['call_1', 'call_2', 'call_3']);
      for (const n of [1, 2, 3]) spool.forget(`call_${n}`);
      await spool.close();
      // What lies in the places of before is another's.
      expect(readdirSync(folder).filter((name) => !join(folder, name).startsWith(slots))).toEqual([]);
    });
  });

  it('takes no call while what waits cannot be written anew, says why, and writes it when it can', async () => {
    const disk = new FaultyDisk();
    const spool = await openSpool(silentLogger, { disk });
    await spool.keep(settlement(1));
    rmSync(folder, { recursive: true });
    disk.fail('ENOSPC', 'everything');
    await spool.lookNow();
    expect(spool.room).toEqual({ isReady: false, reason: 'ENOSPC' });
    await expect(spool.reserve('call_2')).rejects.toMatchObject({ code: 'service_unavailable' });
    disk.mend();
    await spool.lookNow();
    expect(spool.room).toEqual({ isReady: true, reason: null });
    expect(await listFound()).toEqual(['call_1']);
  });

  it('is looked after by itself once it was started, within seconds', async () => {
    const spool = await openSpool();
    await spool.start();
    await spool.keep(settlement(1));
    rmSync(folder, { recursive: true });
    await eventually(async () => (await listFound()).length === 1, 50);
  });

  it('writes anew what it has taken over from a dead process, too', async () => {
    const slots = await leaveBehind(3);
    const spool = await openSpool();
    expect(spool.keptCount).toBe(3);
    rmSync(slots);
    await spool.lookNow();
    expect(await listFound()).toEqual(['call_0', 'call_1', 'call_2']);
    for (let n = 0; n < 3; n += 1) spool.forget(`call_${n}`);
    await spool.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes nothing from a living process whose lock was removed, and makes no lock in its place', async () => {
    const living = await openSpool();
    await living.keep(settlement(1));
    const lock = `${findSlots()}.lock`;
    rmSync(lock);
    const other = await openSpool();
    expect([other.keptCount, existsSync(lock)]).toEqual([0, false]);
    await living.lookNow();
    await other.lookNow();
    expect(other.keptCount).toBe(0);
    expect(await listFound()).toEqual(['call_1']);
  });

  it('takes over by itself what a dead process has left without a lock, after a few seconds', async () => {
    const slots = await leaveBehind(3);
    rmSync(`${slots}.lock`);
    const spool = await openSpool();
    expect(spool.keptCount).toBe(0);
    await eventually(() => spool.keptCount === 3, 50);
  });

  it('takes over the other files where one cannot be read', async () => {
    await leaveBehind(2);
    const unreadable = join(folder, 'settlements-a.slots');
    mkdirSync(unreadable);
    writeFileSync(`${unreadable}.lock`, '');
    const spool = await openSpool();
    expect(spool.keptCount).toBe(2);
  });
});
