import { rmSync } from 'node:fs';
import { databaseUrlOf, describeOnEachDatabase, type TestDatabase } from '../../test/each-database.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { LedgerTraffic } from '../../test/ledger-traffic.js';
import { runWarmProgram } from '../../test/warm-programs.js';
import { printLedgerReport } from './print-ledger-report.js';
import { verifyInBackground } from './verify-in-background.js';
import { type LedgerReport, listBroken, verifyLedger } from './verify-ledger.js';

/** LEDGER_ROWS=1000000 measures what a look at a large ledger costs, and prints the report. */
const journalRowsWanted = Number(process.env.LEDGER_ROWS ?? 2_000);

const nothingWaiting = {
  kept: { settlements: 0, tokens: 0 },
  quarantined: { settlements: 0, tokens: 0 },
  ofOthers: { settlements: 0, tokens: 0 },
  damagedFiles: [],
};

const verify = async ({ address }: TestDatabase) => {
  const { exitCode, output, log } = await runWarmProgram('verify.js', address);
  return { exitCode, output: output + log };
};

describeOnEachDatabase('verifyLedger', (openTestDatabase) => {
  it(`finds a ledger of ${journalRowsWanted} journal rows sound`, async () => {
    // Leases that outlast the whole run: a large one takes minutes.
    const fixture = await LedgerFixture.open(await openTestDatabase(), { leaseMs: 3_600_000, graceMs: 0 });
    const traffic = await LedgerTraffic.open(fixture, Math.ceil(journalRowsWanted / 1_000));
    while ((await fixture.countRows('ledger_transfer')) < journalRowsWanted) {
      await traffic.run(Math.min(10_000, journalRowsWanted / 4), 400);
    }
    const report = await verifyLedger(fixture.database.address);
    if (process.env.LEDGER_ROWS) process.stdout.write(`${printLedgerReport(report, nothingWaiting)}\n`);
    expect(listBroken(report)).toEqual([]);
    expect(report.rowCounts.ledger_transfer).toBeGreaterThanOrEqual(journalRowsWanted);
    await fixture.close();
  }, 900_000);

  it('raises no false alarm while money moves', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase(), { leaseMs: -1_000, graceMs: 0 });
    const { address } = fixture.database;
    const { signal } = new AbortController();
    const traffic = await LedgerTraffic.open(fixture, 6);
    const wallets = traffic.accounts.map(({ accountId }) => accountId);
    const reports: LedgerReport[] = [];
    // Each look at everything must have seen another moment, or it was not taken during the traffic.
    const journalLengths = new Set<number | undefined>();
    let isLooking = true;
    const moving = (async () => {
      while (isLooking) await traffic.run(100, 40);
    })();
    while (journalLengths.size < 8) {
      const report = await verifyInBackground(address, 'everything', signal);
      journalLengths.add(report.rowCounts.ledger_transfer);
      reports.push(report, await verifyInBackground(address, { wallets }, signal));
    }
    isLooking = false;
    await moving;
    expect(reports.flatMap(listBroken)).toEqual([]);
    await fixture.close();
  }, 60_000);

  it('tells holds that nobody sweeps, by the clock of the database, blames no wallet, and says what ends them', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase(), { leaseMs: -121_000, graceMs: 0 });
    const traffic = await LedgerTraffic.open(fixture, 1);
    const account = traffic.accounts[0];
    if (!account) throw new Error('An account is needed.');
    const callId = await traffic.call(account, 'left open');
    const report = await verifyLedger(fixture.database.address);
    expect(listBroken(report)).toMatchObject([
      { sentence: 'no hold outlives its lease by two minutes', rowCount: 1, rows: [{ id: callId }], wallets: [] },
    ]);
    expect(printLedgerReport(report, nothingWaiting)).toContain('Start one, and verify again two minutes later.');
    await fixture.ledger.expireHold({ callId, accountId: account.accountId });
    expect(listBroken(await verifyLedger(fixture.database.address))).toEqual([]);
    await fixture.close();
  });

  it('warns of what the operator absorbed, without calling it broken', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const traffic = await LedgerTraffic.open(fixture, 1);
    if (traffic.accounts[0]) await traffic.call(traffic.accounts[0], 'absorbed');
    const report = await verifyLedger(fixture.database.address);
    expect(report.findings.filter(({ verdict }) => verdict !== 'ok')).toMatchObject([
      { verdict: 'warning', rowCount: 1 },
    ]);
    await fixture.close();
  });

  it('is a program that ends with 0, 1 or 2, and says what is broken', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase(), { leaseMs: -1_000, graceMs: 0 });
    const traffic = await LedgerTraffic.open(fixture, 12);
    await traffic.run(40);
    const sound = await verify(fixture.database);
    expect(sound).toMatchObject({ exitCode: 0, output: expect.stringContaining('The ledger adds up.') });

    await fixture.source.query("UPDATE ledger_account SET credits_posted = credits_posted + 1 WHERE kind = 'wallet'");
    const broken = await verify(fixture.database);
    expect(broken.exitCode).toBe(1);
    expect(broken.output).toMatch(
      /BROKEN .* a wallet counts what its journal says, and the journal has no gaps: 12 rows\n(.*"wallet":"acct.*\n){10}ok/,
    );
    await fixture.source.query("UPDATE ledger_account SET credits_posted = credits_posted - 1 WHERE kind = 'wallet'");
    await fixture.close();
  }, 60_000);

  it('ends with 2, and shows no password, when there is nothing to look at', async () => {
    const database = await openTestDatabase();
    const empty = await verify(database);
    expect(empty).toMatchObject({ exitCode: 2, output: expect.stringContaining('could not be looked at') });
    if (database.address.kind === 'sqlite') rmSync(database.address.file, { force: true });
    await database.drop();
    const gone = await verify(database);
    expect(gone.exitCode).toBe(2);
    const password = /:\/\/[^:]+:([^@]+)@/.exec(databaseUrlOf(database.address))?.[1] ?? 'there is none on SQLite';
    expect(empty.output + gone.output).not.toContain(password);
  }, 60_000);
});
