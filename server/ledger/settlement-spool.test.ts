import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '../kernel/logger.js';
import { endingWith } from '../test/ledger-fixture.js';
import { makeTestFolder } from '../test/test-folder.js';
import { SettlementSpool } from './settlement-spool.js';

// No process of this number can live: Linux counts to 2^22.
const deadOwner = 'settlements-4194999-old.spool';

describe('SettlementSpool', () => {
  let folder: string;
  beforeEach(() => {
    folder = makeTestFolder('spool');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const settlement = (n: number) => ({ callId: `call_${n}`, accountId: 'acct_1', ending: endingWith(n, 1) });
  const openSpool = () => new SettlementSpool(folder, 'one', silentLogger);

  /** Leaves a spool behind as a process that died would. */
  async function leaveBehind(count: number): Promise<string> {
    const spool = openSpool();
    await Promise.all(Array.from({ length: count }, (_, n) => spool.keep(settlement(n))));
    await spool.close();
    const [name] = readdirSync(folder);
    renameSync(join(folder, String(name)), join(folder, deadOwner));
    return join(folder, deadOwner);
  }

  it('hands a later process everything that was kept, in order', async () => {
    await leaveBehind(50);
    expect(openSpool().kept).toEqual(Array.from({ length: 50 }, (_, n) => settlement(n)));
  });

  it('leaves the file of a living process alone', async () => {
    const spool = openSpool();
    await spool.keep(settlement(1));
    expect(new SettlementSpool(folder, 'two', silentLogger).kept).toEqual([]);
    await spool.close();
  });

  it('takes over the file of a dead process that had the same number, as in a container', async () => {
    const file = await leaveBehind(2);
    renameSync(file, join(folder, `settlements-${process.pid}-earlier.spool`));
    const spool = openSpool();
    expect(spool.kept).toHaveLength(2);
    await spool.forgetOldest(2);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('books also what stands in the file of a process that seems to live, but leaves the file to it', async () => {
    const file = join(folder, `settlements-${process.ppid}-other.spool`);
    renameSync(await leaveBehind(2), file);
    appendFileSync(file, 'half a li');
    const spool = openSpool();
    expect(spool.kept).toHaveLength(2);
    await spool.forgetOldest(2);
    expect(readFileSync(file, 'utf8')).toMatch(/half a li$/);
  });

  it('leaves alone what a process that died later has left, which nobody has read yet', async () => {
    const spool = new SettlementSpool(folder, 'sibling', silentLogger);
    await leaveBehind(2);
    await spool.keep(settlement(7));
    await spool.forgetOldest(1);
    expect(readdirSync(folder)).toEqual([deadOwner]);
    await spool.close();
    expect(openSpool().kept).toHaveLength(2);
  });

  it('keeps the whole lines before a torn tail and sets the damaged file aside', async () => {
    const file = await leaveBehind(3);
    appendFileSync(file, readFileSync(file, 'utf8').slice(0, 40));
    const spool = openSpool();
    expect(spool.kept).toHaveLength(3);
    expect(readdirSync(folder)).toContain(`${deadOwner}.quarantined`);
    await spool.forgetOldest(3);
    expect(readdirSync(folder)).toEqual([`${deadOwner}.quarantined`]);
  });

  it('has the whole lines still on disk when the process that found the damage dies before they are booked', async () => {
    const file = await leaveBehind(3);
    appendFileSync(file, 'torn');
    openSpool();
    expect(openSpool().kept).toHaveLength(3);
  });

  it('has on disk what is kept while its last file is being removed', async () => {
    const spool = openSpool();
    await spool.keep(settlement(1));
    await Promise.all([spool.forgetOldest(1), spool.keep(settlement(2))]);
    await spool.close();
    expect(new SettlementSpool(folder, 'two', silentLogger).kept).toEqual([settlement(2)]);
  });

  it.each(['first', 'last'])('sees a flipped byte in the %s line', async (which) => {
    const file = await leaveBehind(3);
    const text = readFileSync(file, 'utf8');
    const at = which === 'first' ? 30 : text.length - 30;
    writeFileSync(file, `${text.slice(0, at)}~${text.slice(at + 1)}`);
    expect(openSpool().kept).toHaveLength(which === 'first' ? 0 : 2);
  });

  it('has on disk what is kept after a write that the disk took only half of', async () => {
    const spool = openSpool();
    await spool.keep(settlement(1));
    const restore = await makeNextWriteFailHalfway(join(folder, 'probe'));
    await expect(spool.keep(settlement(2))).rejects.toMatchObject({ code: 'ENOSPC' });
    restore();
    await spool.keep(settlement(3));
    await spool.close();
    expect(new SettlementSpool(folder, 'two', silentLogger).kept).toEqual([settlement(1), settlement(3)]);
  });

  it('removes its files once everything is booked, and starts anew after that', async () => {
    await leaveBehind(2);
    const spool = openSpool();
    await spool.keep(settlement(7));
    await spool.forgetOldest(2);
    expect(spool.kept).toEqual([settlement(7)]);
    await spool.forgetOldest(1);
    expect(readdirSync(folder)).toEqual([]);
    await spool.keep(settlement(8));
    expect(spool.kept).toEqual([settlement(8)]);
    await spool.close();
  });
});

/** As a disk that fills up: the next write of any file of this process ends after twenty bytes. @returns what ends it. */
async function makeNextWriteFailHalfway(probeFile: string): Promise<() => void> {
  const probe = await open(probeFile, 'w');
  const handles = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const { appendFile } = handles;
  handles.appendFile = async function (this: FileHandle, bytes) {
    await this.write(Buffer.from(bytes as Uint8Array).subarray(0, 20));
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  };
  return () => {
    handles.appendFile = appendFile;
  };
}
