import { rmSync } from 'node:fs';
import { AppError } from '../kernel/app-error.js';
import { silentLogger } from '../kernel/logger.js';
import { endingWith } from '../test/ledger-fixture.js';
import { makeTestFolder } from '../test/test-folder.js';
import { DurableSettlement } from './durable-settlement.js';
import type { SettleInput, SettleResult } from './ledger-types.js';
import { SettlementSpool } from './settlement-spool.js';

/** More than is booked at once when the database is back. */
const keptCount = 300;

const settlement = (n: number): SettleInput => ({ callId: `call_${n}`, accountId: 'acct_1', ending: endingWith(n, 1) });
const booked = { status: 'settled' } as SettleResult;

describe('DurableSettlement', () => {
  let folder: string;
  beforeEach(() => {
    folder = makeTestFolder('spool');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('books what ends once the database is back beside what was kept, not behind it', async () => {
    let isAway = true;
    let letLastGo = () => {};
    const lastMayGo = new Promise<void>((resolve) => {
      letLastGo = resolve;
    });
    const book = async ({ callId }: SettleInput) => {
      if (isAway) throw new AppError('service_unavailable', 'The database is away.');
      if (callId === `call_${keptCount - 1}`) await lastMayGo;
      return booked;
    };
    const durable = new DurableSettlement(book, new SettlementSpool(folder, 'one', silentLogger), silentLogger);
    const results = await Promise.all(Array.from({ length: keptCount }, (_, n) => durable.settle(settlement(n))));
    expect(results).toEqual(Array(keptCount).fill({ status: 'kept' }));

    isAway = false;
    while (durable.keptCount === keptCount) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(durable.keptCount).toBeGreaterThan(0);
    expect(await durable.settle(settlement(keptCount))).toEqual(booked);
    letLastGo();
    while (durable.keptCount > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await durable.close();
  });

  it('asks the database again while it is away and the disk has kept nothing', async () => {
    let isAway = true;
    const book = async () => {
      if (isAway) throw new AppError('service_unavailable', 'The database is away.');
      return booked;
    };
    const fullDisk = { kept: [], keep: () => Promise.reject(new Error('ENOSPC')), close: async () => {} };
    const durable = new DurableSettlement(book, fullDisk as unknown as SettlementSpool, silentLogger);
    await expect(durable.settle(settlement(1))).rejects.toThrow('ENOSPC');
    isAway = false;
    expect(await durable.settle(settlement(2))).toEqual(booked);
    await durable.close();
  });
});
