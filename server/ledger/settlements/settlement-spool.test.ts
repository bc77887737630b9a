import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { silentLogger } from '../../kernel/logger.js';
import { eventually } from '../../test/eventually.js';
import { FaultyDisk } from '../../test/faulty-disk.js';
import { endingWith } from '../../test/ledger-fixture.js';
import { makeTestFolder } from '../../test/test-folder.js';
import type { SettleInput } from '../ledger-types.js';
import { SettlementQuarantine } from './settlement-quarantine.js';
import { SettlementSpool, type SpoolOptions } from './settlement-spool.js';
import { slotBytes } from './spool-records.js';

describe('SettlementSpool', () => {
  let folder: string;
  const opened: SettlementSpool[] = [];
  beforeEach(() => {
    folder = makeTestFolder('spool');
  });
  afterEach(async () => {
    for (const spool of opened.splice(0)) await spool.close();
  });

  const settlement = (n: number): SettleInput => ({
    callId: `call_${n}`,
    accountId: 'acct_1',
    ending: endingWith(n, 1),
  });
  const many = (count: number) => Array.from({ length: count }, (_, n) => settlement(n));
  const inputs = (spool: SettlementSpool) => [...spool.listKept()].map(({ input }) => input);
  const byCall = (list: SettleInput[]) => list.sort((a, b) => a.ending.promptTokens - b.ending.promptTokens);
  const files = () => readdirSync(folder);

  async function openSpool(options: SpoolOptions = {}): Promise<SettlementSpool> {
    const spool = new SettlementSpool(folder, 'one', silentLogger, options);
    opened.push(spool);
    await spool.ready;
    return spool;
  }

  /** Leaves a spool behind as a process that died would. @returns its file. */
  async function leaveBehind(count: number): Promise<string> {
    const spool = new SettlementSpool(folder, 'dead', silentLogger);
    await Promise.all(many(count).map((input) => spool.keep(input)));
    await spool.close();
    return join(folder, String(files().find((name) => name.startsWith('settlements-dead') && name.endsWith('.slots'))));
  }

  it('hands a later process everything that was kept', async () => {
    await leaveBehind(50);
    expect(byCall(inputs(await openSpool()))).toEqual(many(50));
  });

  it('leaves the file of a living spool alone, whatever its process number, and takes it over when that ends', async () => {
    const living = await openSpool();
    await living.keep(settlement(1));
    expect((await openSpool()).keptCount).toBe(0);
    opened.splice(opened.indexOf(living), 1);
    await living.close();
    expect(inputs(await openSpool())).toEqual([settlement(1)]);
  });

  it('takes over what a process that was killed has left, and nothing while it lives', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', programThatKeeps(folder)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(createInterface({ input: child.stdout }), 'line');
    expect((await openSpool()).keptCount).toBe(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const spool = await openSpool();
    expect(inputs(spool)).toEqual([settlement(7)]);
    expect((await openSpool()).keptCount).toBe(0);
    spool.forget('call_7');
    await spool.close();
    expect(files()).toEqual([]);
  });

  it('leaves the files of another database alone, also of one that is not known, and tells of each once, but adopts copies of its own', async () => {
    const [own, other] = ['inst_01M8CWDT7Z72KKEHBKFD1Q5DBJ', 'inst_01M8CWDT7Z72KKEHBKFD1Q5DBK'];
    const lines: unknown[] = [];
    const logger = { ...silentLogger, warn: (...line: unknown[]) => void lines.push(line) };
    const open = async (databaseId: string | null) => {
      const spool = new SettlementSpool(folder, 'one', logger, { databaseId });
      opened.push(spool);
      await spool.ready;
      return spool;
    };
    const dead = await open(own);
    await dead.keep(settlement(1));
    // While its server lives it is nobody else's affair.
    expect((await open(other)).keptCount).toBe(0);
    expect(lines).toEqual([]);
    await opened.shift()?.close();
    const [name] = files().filter((file) => file.endsWith('.slots'));
    const another = await open(other);
    for (let look = 0; look < 12; look += 1) await another.lookNow();
    expect(another.keptCount).toBe(0);
    expect(lines).toEqual([
      ['spool_of_another_database', { file: join(folder, String(name)), databaseId: own, settlements: 1 }],
    ]);
    expect((await open(null)).keptCount).toBe(0);
    expect(files()).toContain(name);
    const copied = String(name).replace('.slots', '_before.slots');
    for (const part of ['', '.lock']) renameSync(join(folder, `${name}${part}`), join(folder, `${copied}${part}`));
    expect(inputs(await open(own))).toEqual([settlement(1)]);
  });

  it('takes over what the release before has left, which names no database', async () => {
    await leaveBehind(1);
    expect((await openSpool({ databaseId: 'inst_01M8CWDT7Z72KKEHBKFD1Q5DBJ' })).keptCount).toBe(1);
  });

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot(
    'has files that the owner of the folder can take over, also where a command typed as root made them',
    async () => {
      chownSync(folder, 65_534, 65_533);
      await leaveBehind(1);
      await new SettlementQuarantine(folder).add(settlement(2), 'constraint');
      const made = readdirSync(folder, { recursive: true }) as string[];
      const owners = made.map((name) => [statSync(join(folder, name)).uid, statSync(join(folder, name)).gid].join());
      expect(made.length).toBeGreaterThanOrEqual(4);
      expect(new Set(owners)).toEqual(new Set(['65534,65533']));
    },
  );

  it('reads the file of the former version, and removes it once all of it is booked', async () => {
    const file = join(folder, 'settlements-4194999-old.spool');
    writeFileSync(file, formerSpool);
    const spool = await openSpool();
    expect(inputs(spool)).toEqual(formerSettlements);
    spool.forget('call_1');
    expect(files()).toContain('settlements-4194999-old.spool');
    spool.forget('call_2');
    expect(files()).toEqual([]);
  });

  it('books also what a process of the former version has written that seems to live, but leaves the file to it', async () => {
    const file = join(folder, `settlements-${process.ppid}-other.spool`);
    writeFileSync(file, `${formerSpool}half a li`);
    const spool = await openSpool();
    expect(inputs(spool)).toEqual(formerSettlements);
    for (const { callId } of formerSettlements) spool.forget(callId);
    expect(readFileSync(file, 'utf8')).toMatch(/half a li$/);
  });

  it('keeps the whole lines before a torn tail of the former version and sets the damaged file aside', async () => {
    const file = join(folder, 'settlements-4194999-old.spool');
    writeFileSync(file, formerSpool);
    appendFileSync(file, formerSpool.slice(0, 40));
    const spool = await openSpool();
    for (const { callId } of formerSettlements) spool.forget(callId);
    expect(files()).toEqual(['settlements-4194999-old.spool.quarantined']);
  });

  it.each(['first', 'last'])(
    'reads all but the %s record when a byte of that was flipped, and sets it aside',
    async (which) => {
      const file = await leaveBehind(3);
      const bytes = readFileSync(file);
      const used = [...bytes.keys()].filter((at) => at % slotBytes === 0 && bytes[at] !== 0);
      const at = Number(which === 'first' ? used[0] : used.at(-1)) + 60;
      bytes[at] = Number(bytes[at]) ^ 1;
      writeFileSync(file, bytes);
      expect((await openSpool()).keptCount).toBe(2);
      expect(statSync(`${file}.quarantined`).size).toBe(slotBytes);
    },
  );

  it('has everything on disk under a crowd that keeps, forgets and keeps again in the same places', async () => {
    const spool = await openSpool();
    await Promise.all(many(1_400).map((input) => spool.keep(input)));
    for (let n = 0; n < 1_390; n += 1) spool.forget(`call_${n}`);
    await Promise.all(Array.from({ length: 1_300 }, (_, n) => spool.keep(settlement(10_000 + n))));
    const [name] = files().filter((file) => file.endsWith('.slots'));
    // As a crash would leave it.
    const copy = makeTestFolder('spool-copy');
    for (const part of ['', '.lock']) copyFileSync(join(folder, `${name}${part}`), join(copy, `${name}${part}`));
    const next = new SettlementSpool(copy, 'next', silentLogger);
    await next.ready;
    const found = new Set(inputs(next).map(({ callId }) => callId));
    expect(inputs(spool).filter(({ callId }) => !found.has(callId))).toEqual([]);
    await next.close();
    rmSync(copy, { recursive: true });
  });

  it('removes its file when it ends and everything is booked', async () => {
    const spool = await openSpool();
    await spool.keep(settlement(1));
    spool.forget('call_1');
    await spool.close();
    expect(files()).toEqual([]);
  });

  it('bounds a record whatever a provider has put into it, and never changes what is charged', async () => {
    const spool = await openSpool();
    const attempt = {
      provider: '\u{1f600}'.repeat(50),
      upstreamModel: 'm',
      status: 200,
      errorCode: null,
      durationMs: 1,
    };
    const input = settlement(3);
    const ending = { ...input.ending, finishReason: 'x'.repeat(1_000_000), attempts: Array(500).fill(attempt) };
    await spool.keep({ ...input, ending });
    await spool.close();
    const [kept] = inputs(await openSpool());
    expect(kept).toMatchObject({
      callId: 'call_3',
      accountId: 'acct_1',
      ending: { promptTokens: 3, completionTokens: 1 },
    });
    expect(kept?.ending.finishReason).toHaveLength(64);
  });

  describe('on a disk that fails', () => {
    it.each(['ENOSPC', 'EIO', 'EROFS', 'EMFILE', 'EDQUOT'])(
      'has room for no call while it cannot be made, for %s, and again after that',
      async (code) => {
        const disk = new FaultyDisk();
        const spool = await openSpool({ disk });
        disk.fail(code, 'everything');
        await expect(spool.reserve('call_1')).rejects.toMatchObject({
          code: 'service_unavailable',
          retryAfterMs: 5_000,
        });
        expect(spool.room).toEqual({ isReady: false, reason: code });
        disk.mend();
        await untilReserved(spool, 'call_1');
        expect(spool.room).toEqual({ isReady: true, reason: null });
      },
    );

    it('keeps the settlements of all calls that were let in when it fills up behind them, and lets no other in', async () => {
      const disk = new FaultyDisk();
      const spool = await openSpool({ disk });
      await spool.start();
      let admitted = 0;
      disk.fail('ENOSPC', 'growth');
      for (; ; admitted += 1)
        if (
          !(await spool.reserve(`call_${admitted}`).then(
            () => true,
            () => false,
          ))
        )
          break;
      expect(admitted).toBe(1_024);
      expect(spool.room).toEqual({ isReady: false, reason: 'ENOSPC' });
      await Promise.all(many(admitted).map((input) => spool.keep(input)));
      await spool.close();
      expect(byCall(inputs(await openSpool()))).toEqual(many(admitted));
    });

    it.each(['EIO', 'ENOSPC', 'EROFS'])(
      'tells who cannot be kept, for %s, turns calls away from then on, and finds out by itself when it is over',
      async (code) => {
        const disk = new FaultyDisk();
        const spool = await openSpool({ disk });
        await spool.reserve('call_1');
        disk.fail(code, 'everything');
        await expect(spool.keep(settlement(1))).rejects.toMatchObject({ code });
        expect(spool.keptCount).toBe(0);
        await expect(spool.reserve('call_2')).rejects.toMatchObject({ code: 'service_unavailable' });
        expect(spool.room).toEqual({ isReady: false, reason: code });
        disk.mend();
        await spool.lookNow();
        expect(spool.room.isReady).toBe(true);
        await spool.keep(settlement(3));
        await spool.close();
        expect(inputs(await openSpool())).toEqual([settlement(3)]);
      },
    );

    it('takes another place for a settlement when one write fails, or the disk takes half of it', async () => {
      const disk = new FaultyDisk();
      const spool = await openSpool({ disk });
      await spool.reserve('call_1');
      disk.failNextWriteHalfway('EIO');
      await spool.keep(settlement(1));
      await spool.close();
      expect(inputs(await openSpool())).toEqual([settlement(1)]);
    });

    it('lets no call in beyond the most that it may hold, and loses none of those below', async () => {
      const spool = await openSpool({ settlementsMax: 300 });
      for (let n = 0; n < 300; n += 1) await spool.reserve(`call_${n}`);
      await expect(spool.reserve('call_300')).rejects.toMatchObject({ code: 'service_unavailable' });
      expect(spool.room).toEqual({ isReady: false, reason: 'full' });
      await Promise.all(many(300).map((input) => spool.keep(input)));
      expect(spool.keptCount).toBe(300);
    });
  });
});

/** A failure is not asked for again at once. */
async function untilReserved(spool: SettlementSpool, callId: string): Promise<void> {
  const isReserved = () =>
    spool.reserve(callId).then(
      () => true,
      () => false,
    );
  await eventually(isReserved, 50);
}

/** What the version before slots wrote for two settlements. */
const formerSettlements: SettleInput[] = [1, 2].map((n) => ({
  callId: `call_${n}`,
  accountId: 'acct_1',
  ending: endingWith(n, 1),
}));
const formerSpool = [
  '02050e92 {"callId":"call_1","accountId":"acct_1","ending":{"outcome":"completed","provider":"demo","errorCode":null,"finishReason":"stop","usageSource":"reported","promptTokens":1,"completionTokens":1,"firstByteMs":1,"totalMs":2}}',
  'c7cc40e7 {"callId":"call_2","accountId":"acct_1","ending":{"outcome":"completed","provider":"demo","errorCode":null,"finishReason":"stop","usageSource":"reported","promptTokens":2,"completionTokens":1,"firstByteMs":1,"totalMs":2}}',
  '',
].join('\n');

/** A process that keeps one settlement, says so, and lives on. */
function programThatKeeps(folder: string): string {
  const module = new URL('./settlement-spool.js', import.meta.url);
  const input = { callId: 'call_7', accountId: 'acct_1', ending: endingWith(7, 1) };
  return `
    import { SettlementSpool } from ${JSON.stringify(module)};
    const logger = { info() {}, warn() {}, error() {} };
    const spool = new SettlementSpool(${JSON.stringify(folder)}, 'child', logger);
    await spool.keep(${JSON.stringify(input)});
    console.log('kept');
    setInterval(() => {}, 1000);`;
}
