import { explainStartFailure } from '../composition/explain-start-failure.js';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { type DatabaseAddress, readDatabaseUrl } from '../database/database-address.js';
import { assertNobodyUses, type MovedRows, MoveRefusedError, moveDatabase } from '../database/move/move-database.js';
import { proveMysqlServer } from '../database/proofs/prove-mysql.js';
import { entities, migrations } from '../entities.js';
import { hasSealedSecrets } from '../factors/sealed-secrets.js';
import { keyFileOf } from '../factors/secret-box.js';
import { systemClock } from '../kernel/clock.js';
import type { Secret } from '../kernel/secret.js';
import { tablesOfInstances } from '../keys/changes/key-change-log.js';
import { listBroken, verifyLedger } from '../ledger/checks/verify-ledger.js';

/** Which migrations ran stands in both databases already, and each has instances of its own; the rest of the move is told from the file alone. */
const notMoved = ['migrations', 'migration_step', ...tablesOfInstances] as const;

export interface WholeMove {
  readonly from: DatabaseAddress;
  /** The `SECRETS_KEY` of the installation; null: it has none. */
  readonly secretsKey: Secret | null;
  /** The `DATABASE_URL` of the target. */
  readonly to: string;
  readonly report: (line: string) => void;
}

export interface MovedInstallation {
  readonly moved: readonly MovedRows[];
  /** What to do about the key of secrets, without quoting it; null: nothing is sealed. */
  readonly secretsRemedy: string | null;
}

/**
 * Moves a SQLite installation to MySQL: makes the tables there, copies and compares every row, and verifies the ledger on the
 * other side. Can be begun again after it was stopped. The file stays as it was.
 * @throws MoveRefusedError when something is in the way, or the ledger of the target does not add up.
 */
export async function moveInstallation({ from, secretsKey, to, report }: WholeMove): Promise<MovedInstallation> {
  if (from.kind !== 'sqlite') throw new MoveRefusedError('DATABASE_URL is no SQLite file: there is nothing to move.');
  const { database: address, faults } = readDatabaseUrl(to, '--to');
  if (address === null) throw new MoveRefusedError(faults.join('\n'));
  if (address.kind !== 'mysql') throw new MoveRefusedError('--to must be mysql://user:password@host:3306/name.');
  assertNobodyUses(from.file);
  const isSealed = await examineFile(from);
  report('Making the tables of the target …');
  await explainAsTarget(makeTables(address, report));
  const moved = await explainAsTarget(moveDatabase({ file: from.file, to: address.url, without: notMoved, report }));
  report('Verifying the ledger of the target …');
  const broken = listBroken(await explainAsTarget(verifyLedger(address)));
  if (broken.length === 0) return { moved, secretsRemedy: isSealed ? nameKey(from.file, secretsKey) : null };
  const sentences = broken.map(({ sentence }) => `  ${sentence}`).join('\n');
  throw new MoveRefusedError(`The ledger of the target does not add up:\n${sentences}`);
}

async function makeTables(address: DatabaseAddress, report: (line: string) => void): Promise<void> {
  const parts = { tell: (_: unknown, line: string) => report(line) };
  const target = await openDataSource(createDataSource(address, { entities, migrations }), parts);
  try {
    await proveMysqlServer(target, systemClock.nowMs());
  } finally {
    await target.destroy();
  }
}

/** What fails there is explained as of `DATABASE_URL`, which is the file here; what the file itself fails by is left. */
async function explainAsTarget<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    const isOfFile = String((error as { code?: unknown } | null)?.code).startsWith('SQLITE_');
    const words = isOfFile ? undefined : explainStartFailure(error)?.replace(/^DATABASE_URL/, '--to');
    throw words === undefined ? error : new MoveRefusedError(words);
  });
}

// MySQL has no file beside it that could hold the key.
function nameKey(file: string, secretsKey: Secret | null): string {
  if (secretsKey !== null) return 'Keep SECRETS_KEY as it is: it opens what is sealed there.';
  return `Set SECRETS_KEY, too, to the text of ${keyFileOf(file)}: it opens what is sealed there, such as keys of providers and authenticator apps.`;
}

/** @returns whether it has anything sealed. */
async function examineFile(from: DatabaseAddress): Promise<boolean> {
  const source = await createDataSource(from, { entities, migrations }).initialize();
  try {
    // The two schemas must be the same, and a file of an earlier version is brought up to date by its own server.
    if (!(await source.showMigrations())) return await hasSealedSecrets(source);
  } finally {
    await source.destroy();
  }
  throw new MoveRefusedError('The file is of an earlier version. Start and stop this version once, and move then.');
}
