import { AppError } from '../../kernel/app-error.js';
import { silentLogger } from '../../kernel/logger.js';
import { eventually } from '../../test/eventually.js';
import { endingWith } from '../../test/ledger-fixture.js';
import { makeTestFolder } from '../../test/test-folder.js';
import type { SettleInput, SettleResult } from '../ledger-types.js';
import { DurableSettlement } from './durable-settlement.js';
import { SettlementQuarantine } from './settlement-quarantine.js';
import { SettlementSpool } from './settlement-spool.js';
import { type DiskFile, localDisk, type SpoolDisk } from './slot-file.js';

/** More than is booked at once when the database is back. */
const keptCount = 300;

const settlement = (n: number, accountId = 'acct_1'): SettleInput => ({
  callId: `call_${n}`,
  accountId,
  ending: endingWith(n, 1),
});
const booked = { status: 'settled' } as SettleResult;
const away = () => new AppError('service_unavailable', 'The database is away.');
const inDoubt = () => new AppError('settlement_in_doubt', 'The database went away in the middle.');

/** A disk of which one kind of request fails from some moment on. */
class FaultyDisk implements SpoolDisk {
  faultOf: 'write' | 'datasync' | null = null;

  async open(file: string, flags: string, mode?: number): Promise<DiskFile> {
    const handle = await localDisk.open(file, flags, mode);
    const { write, datasync } = handle;
    const orFail = <Work extends (...parts: never[]) => unknown>(name: 'write' | 'datasync', work: Work) =>
      ((...parts: never[]) =>
        this.faultOf === name
          ? Promise.reject(Object.assign(new Error('the disk fails'), { code: 'EIO' }))
          : work.apply(handle, parts)) as Work;
    return Object.assign(handle, { write: orFail('write', write), datasync: orFail('datasync', datasync) });
  }
}

describe('DurableSettlement', () => {
  let folder: string;
  beforeEach(() => {
    folder = makeTestFolder('spool');
  });

  const open = (book: (input: SettleInput) => Promise<SettleResult>, spool?: SettlementSpool) =>
    new DurableSettlement({
      book,
      giveBack: () => {},
      spool: spool ?? new SettlementSpool(folder, 'one', silentLogger),
      quarantine: new SettlementQuarantine(folder),
      logger: silentLogger,
    });

  it('books what ends once the database is back beside what was kept, not behind it', async () => {
    let isAway = true;
    let letLastGo = () => {};
    const lastMayGo = new Promise<void>((resolve) => {
      letLastGo = resolve;
    });
    const book = async ({ callId }: SettleInput) => {
      if (isAway) throw away();
      if (callId === `call_${keptCount - 1}`) await lastMayGo;
      return booked;
    };
    const durable = open(book);
    const results = await Promise.all(Array.from({ length: keptCount }, (_, n) => durable.settle(settlement(n))));
    expect(results).toEqual(Array(keptCount).fill({ status: 'kept' }));

    isAway = false;
    await eventually(() => durable.keptCount < keptCount);
    expect(durable.keptCount).toBeGreaterThan(0);
    expect(await durable.settle(settlement(keptCount))).toEqual(booked);
    letLastGo();
    await eventually(() => durable.keptCount === 0);
    expect(durable.countMissing()).toBe(0);
    await durable.close();
  });

  it('asks the database again while it is away and the disk has kept nothing', async () => {
    let isAway = true;
    const book = async () => {
      if (isAway) throw away();
      return booked;
    };
    const fullDisk = new SettlementSpool(folder, 'one', silentLogger, {
      disk: { open: () => Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' })) },
    });
    const durable = open(book, fullDisk);
    await expect(durable.settle(settlement(1))).rejects.toMatchObject({ code: 'service_unavailable' });
    isAway = false;
    expect(await durable.settle(settlement(2))).toEqual(booked);
    expect(durable.countMissing()).toBe(0);
    await durable.close();
  });

  it.each([
    ['neither was asked in the middle of anything', [away(), away()], 'write', 'service_unavailable'],
    ['the first commit may have arrived', [inDoubt(), away()], 'write', 'settlement_in_doubt'],
    ['the second commit may have arrived', [away(), inDoubt()], 'write', 'settlement_in_doubt'],
    ['the record may have arrived', [away(), away()], 'datasync', 'settlement_in_doubt'],
  ] as const)('says that a call is free only where that is certain: %s', async (_, refusals, faultOf, code) => {
    const disk = new FaultyDisk();
    const spool = new SettlementSpool(folder, 'one', silentLogger, { disk });
    await spool.start();
    disk.faultOf = faultOf;
    const left = [...refusals];
    const durable = open(() => Promise.reject(left.shift()), spool);
    await expect(durable.settle(settlement(1))).rejects.toMatchObject({ code });
    expect(left).toEqual([]);
    expect(durable.tally.unwritten).toBe(1);
    await durable.close();
  });

  it.each([
    ['a driver\u2019s error that nobody knows', () => Object.assign(new Error('odd'), { errno: 4321 })],
    ['an error without a code', () => new Error('odd')],
    ['something that is no error', () => 'odd'],
  ])('keeps a settlement for %s, and books it when that is over', async (_, makeError) => {
    let isFailing = true;
    const durable = open(async () => {
      if (isFailing) throw makeError();
      return booked;
    });
    expect(await durable.settle(settlement(1))).toEqual({ status: 'kept' });
    isFailing = false;
    await eventually(() => durable.keptCount === 0);
    expect(durable.tally.bookedLater).toBe(1);
    await durable.close();
  });

  it('quarantines what the ledger refuses, at once and in a replay, and never forgets it', async () => {
    let isAway = true;
    const durable = open(async () => {
      if (isAway) throw away();
      return { status: 'refused', reason: 'unknown_hold' };
    });
    expect(await durable.settle(settlement(1))).toEqual({ status: 'kept' });
    isAway = false;
    await eventually(() => durable.keptCount === 0);
    expect(await durable.settle(settlement(2))).toEqual({ status: 'quarantined', reason: 'unknown_hold' });
    await durable.close();
    const quarantined = await new SettlementQuarantine(folder).list();
    expect(quarantined.map(({ input, reason }) => [input, reason])).toEqual([
      [settlement(1), 'unknown_hold'],
      [settlement(2), 'unknown_hold'],
    ]);
    expect(durable.countMissing()).toBe(0);
  });

  it('lets one account whose settlements cannot be booked hold up nobody else', async () => {
    const durable = open(async ({ accountId }) => {
      if (accountId === 'acct_bad') throw away();
      return booked;
    });
    for (let n = 0; n < 3; n += 1) expect(await durable.settle(settlement(n, 'acct_bad'))).toEqual({ status: 'kept' });
    expect(await durable.settle(settlement(10))).toEqual(booked);
    await durable.close();
    // More than one round takes, all in front of the others.
    const spool = new SettlementSpool(folder, 'two', silentLogger);
    for (let n = 20; n < 320; n += 1) await spool.keep(settlement(n, 'acct_bad'));
    for (let n = 320; n < 330; n += 1) await spool.keep(settlement(n, 'acct_good'));
    const next = open(async ({ accountId }) => {
      if (accountId === 'acct_bad') throw away();
      return booked;
    }, spool);
    await eventually(() => [...spool.listKept()].every(({ input }) => input.accountId === 'acct_bad'));
    expect(next.keptCount).toBe(303);
    await next.close();
  });
});
