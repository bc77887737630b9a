import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { providerKeyPurpose } from '../../server/catalogue/catalogue-store.js';
import { ProviderKeyEntity } from '../../server/catalogue/provider-key.entity.js';
import { createDataSource } from '../../server/database/data-source.js';
import { Sqlite } from '../../server/database/sqlite-driver.js';
import { entities, migrations } from '../../server/entities.js';
import { AuthenticatorAppEntity } from '../../server/factors/authenticator-app.entity.js';
import { SecretBox } from '../../server/factors/secret-box.js';
import { Secret } from '../../server/kernel/secret.js';
import { findLedgerViolations } from '../../server/ledger/checks/check-ledger.js';
import { insertBulkCalls } from '../../server/test/bulk-calls.js';
import {
  databaseUrlOf,
  describeOnEachDatabase,
  describeOnMysql,
  openSqliteDatabase,
} from '../../server/test/each-database.js';
import { eventually } from '../../server/test/eventually.js';
import { LedgerFixture } from '../../server/test/ledger-fixture.js';
import { runProgramFile } from '../../server/test/running-program.js';
import { createRandom, seed } from './seeded-random.js';

/** Each starts a program anew, which takes a second, so not as many as the other suites do. */
const cycles = Math.min(20, Number(process.env.CRASH_CYCLES ?? 3));
const secondsPerCycle = 30;
const limitMs = (cycles + 4) * secondsPerCycle * 1_000;
const random = createRandom(seed);

const built = join(import.meta.dirname, '../..');
const commands = join(built, 'server/cli/tollgate.js');
const retentionProcess = join(import.meta.dirname, '../support/retention-process.js');

/** Runs a program, and kills it by SIGKILL when it is time. @returns its exit status; null: it was killed before it had ended. */
async function run(
  file: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
  untilKill: ((said: () => string) => Promise<unknown>) | null,
) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-killed-'));
  const program = runProgramFile(file, words, { SPOOL_DIR: join(folder, 'spool'), ...settings }, folder);
  const over = program.ended.then(() => 'over' as const);
  const said = () => program.output() + program.log();
  const first = untilKill === null ? await over : await Promise.race([over, untilKill(said)]);
  if (first !== 'over') program.child.kill('SIGKILL');
  const exitCode = await program.ended;
  rmSync(folder, { recursive: true, force: true });
  return { exitCode, said: said() };
}

describeOnEachDatabase(`\`secrets reseal\` that is killed, CRASH_SEED=${seed}`, (openTestDatabase) => {
  const oldKey = 'o'.repeat(32);
  const newKey = 'n'.repeat(32);
  const secrets = 60;

  it(
    `leaves each secret opened by both keys together, ${cycles} times, and by the new one alone once it has come to its end`,
    async () => {
      const fixture = await LedgerFixture.open(await openTestDatabase());
      const { manager } = fixture.source;
      const { address } = fixture.database;
      const old = new SecretBox({ secretsKey: new Secret(oldKey), database: address });
      const both = { secretsKey: new Secret(newKey), oldSecretsKey: new Secret(oldKey), database: address };
      const all = async () => [
        ...(await manager.find(AuthenticatorAppEntity)).map(({ accountId, sealedSecret }) => ({
          purpose: `authenticator app of ${accountId}`,
          sealedSecret,
        })),
        ...(await manager.find(ProviderKeyEntity)).map((row) => ({
          purpose: providerKeyPurpose(row),
          sealedSecret: row.sealedSecret,
        })),
      ];
      for (let n = 0; n < secrets; n += 1) {
        const id = `acct_${n}`;
        const app = { accountId: id, createdAtMs: 1, confirmedAtMs: 1, lastStep: 0 };
        const purpose = `authenticator app of ${id}`;
        await manager.insert(AuthenticatorAppEntity, { ...app, sealedSecret: await old.seal(purpose, purpose) });
        const key = { id: `pkey_${n}`, providerId: 'openai', masked: 'm', weight: 1, createdAtMs: 1 };
        const ofKey = providerKeyPurpose(key);
        await manager.insert(ProviderKeyEntity, { ...key, sealedSecret: await old.seal(ofKey, ofKey) });
      }
      const before = new Set((await all()).map(({ sealedSecret }) => sealedSecret));
      const countResealed = async () => (await all()).filter(({ sealedSecret }) => !before.has(sealedSecret)).length;
      const opened = async (box: SecretBox) =>
        Promise.all(
          (await all()).map(async ({ sealedSecret, purpose }) => (await box.open(sealedSecret, purpose)) === purpose),
        );
      const settings = { DATABASE_URL: databaseUrlOf(address), SECRETS_KEY: newKey, SECRETS_KEY_OLD: oldKey };
      const reseal = (untilKill: (() => Promise<unknown>) | null) =>
        run(commands, ['secrets', 'reseal'], settings, untilKill);
      let killed = 0;
      for (let cycle = 0; cycle < cycles; cycle += 1) {
        const already = await countResealed();
        const { exitCode } = await reseal(() =>
          eventually(async () => (await countResealed()) > already + random(8), 0),
        );
        if (exitCode === null) killed += 1;
        expect(await opened(new SecretBox(both))).toEqual(Array(2 * secrets).fill(true));
      }
      expect(killed).toBeGreaterThan(0);
      const { exitCode, said } = await reseal(null);
      expect(said).toContain('SECRETS_KEY_OLD is no longer needed');
      expect(exitCode).toBe(0);
      expect(await opened(new SecretBox({ ...both, oldSecretsKey: null }))).toEqual(Array(2 * secrets).fill(true));
      await fixture.close();
    },
    limitMs,
  );
});

describeOnEachDatabase(`the removal of old receipts that is killed, CRASH_SEED=${seed}`, (openTestDatabase) => {
  const calls = 1_000;
  const sums = `SELECT SUM(calls) AS calls, SUM(prompt) AS prompt, SUM(completion) AS completion, SUM(charged) AS charged FROM (
    SELECT 1 AS calls, prompt_tokens AS prompt, completion_tokens AS completion, charged_millicredits AS charged FROM call_record
    UNION ALL SELECT calls, prompt_tokens, completion_tokens, charged_millicredits FROM sealed_month) s`;

  it(
    `leaves books that add up and no receipt nowhere, ${cycles} times, and goes on to its end`,
    async () => {
      const fixture = await LedgerFixture.open(await openTestDatabase());
      const { source } = fixture;
      const owner = await fixture.createFundedAccount(calls * 1_000);
      const time = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 5, 1) };
      await insertBulkCalls(source, { ...owner, count: calls, ...time, hasJournal: true });
      const ids: { call_id: string }[] = await source.query('SELECT call_id FROM call_record');
      const before = await source.query(sums);
      const folder = mkdtempSync(join(tmpdir(), 'tollgate-archive-'));
      const settings = { DATABASE_URL: databaseUrlOf(fixture.database.address), RETENTION_EXPORT_DIR: folder };
      const count = () => fixture.countRows('call_record');
      let killed = 0;
      for (let cycle = 0; cycle < cycles; cycle += 1) {
        const already = await count();
        const untilKill = () => eventually(async () => (await count()) < already - random(calls / cycles), 0);
        const { exitCode } = await run(retentionProcess, [], settings, untilKill);
        if (exitCode === null) killed += 1;
        expect(await source.query(sums)).toEqual(before);
        expect(await findLedgerViolations(source.manager)).toEqual([]);
        await expectNoneLost();
      }
      expect(killed).toBeGreaterThan(0);
      expect((await run(retentionProcess, [], settings, null)).exitCode).toBe(0);
      expect(await count()).toBe(0);
      expect(await source.query(sums)).toEqual(before);
      await expectNoneLost();
      rmSync(folder, { recursive: true });
      await fixture.close();

      async function expectNoneLost() {
        const left: { call_id: string }[] = await source.query('SELECT call_id FROM call_record');
        const there = new Set([...left.map(({ call_id }) => call_id), ...readArchive(folder)]);
        expect(ids.filter(({ call_id }) => !there.has(call_id))).toEqual([]);
      }
    },
    limitMs,
  );
});

/** The calls whose receipts stand there as a whole line. What was cut off in the middle of a line was not said to be kept. */
function readArchive(folder: string): string[] {
  const lines = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return lines.flatMap((line) => {
    try {
      return [(JSON.parse(line) as { callId: string }).callId];
    } catch {
      return [];
    }
  });
}

describeOnMysql(`\`database move\` that is killed, CRASH_SEED=${seed}`, (openTestDatabase) => {
  const calls = 3_000;
  /** A copy of so many calls takes about as long. */
  const copyMs = 1_000;

  it(
    `goes on where it was, ${cycles} times, ends with the same rows on both sides, and never writes to the file`,
    async () => {
      const fixture = await LedgerFixture.open(await openSqliteDatabase());
      const owner = await fixture.createFundedAccount(calls * 1_000);
      const time = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 5, 1) };
      await insertBulkCalls(fixture.source, { ...owner, count: calls, ...time, hasJournal: true });
      const folder = mkdtempSync(join(tmpdir(), 'tollgate-move-'));
      const file = join(folder, 'tollgate.db');
      await fixture.source.query('VACUUM INTO ?', [file]);
      // As a server leaves it; whoever opens a copy first would make it so.
      const copy = new Sqlite(file);
      copy.pragma('journal_mode = WAL');
      copy.close();
      await fixture.close();
      const hash = () => createHash('sha256').update(readFileSync(file)).digest('hex');
      const before = hash();
      const target = (await openTestDatabase()).address;
      const words = ['database', 'move', '--to', databaseUrlOf(target)];
      const move = (untilKill: ((said: () => string) => Promise<unknown>) | null) =>
        run(commands, words, { DATABASE_URL: `sqlite:${file}` }, untilKill);
      let killed = 0;
      for (let cycle = 0; cycle < cycles; cycle += 1) {
        const { exitCode } = await move(async (said) => {
          await eventually(() => said().includes('Making the tables'));
          await sleep(random(copyMs));
        });
        if (exitCode === null) killed += 1;
        expect(hash()).toBe(before);
      }
      expect(killed).toBeGreaterThan(0);
      const { exitCode, said } = await move(null);
      expect(said).toMatch(new RegExp(`call_record: equal, ${calls} rows`));
      expect(exitCode).toBe(0);
      const moved = await createDataSource(target, { entities, migrations }).initialize();
      expect(await findLedgerViolations(moved.manager)).toEqual([]);
      await moved.destroy();
      rmSync(folder, { recursive: true });
    },
    limitMs,
  );
});
