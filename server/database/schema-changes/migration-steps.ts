import { createHash } from 'node:crypto';
import type { DataSource, QueryRunner } from 'typeorm';
import type { Clock } from '../../kernel/clock.js';
import { PlainFailure } from '../../kernel/settings/plain-failure.js';
import { productVersion } from '../../kernel/settings/product-version.js';
import { type MigrationStatement, readMigrationStatement } from './migration-statement.js';

type Query = (sql: string, parameters?: unknown[], useStructuredResult?: boolean) => Promise<unknown>;

const stepColumns =
  'migration varchar(191) NOT NULL, step varchar(64) NOT NULL, statement varchar(191) NOT NULL, version varchar(24) NOT NULL, done_at_ms bigint NOT NULL, PRIMARY KEY (migration, step)';
const insertStep =
  'INSERT INTO migration_step (migration, step, statement, version, done_at_ms) VALUES (?, ?, ?, ?, ?)';

const downPrefix = 'down:';
/** Notes that a migration is being taken back. */
const revertingStep = `${downPrefix}begun`;

/**
 * The migration that was begun to be taken back, and not to the end: its schema is neither the old one nor the new one.
 * @returns null where there is none, and on a database of a release that noted no steps.
 */
export async function findHalfReverted(source: DataSource): Promise<string | null> {
  const [table] = await source.query(
    "SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'migration_step'",
  );
  if (table === undefined) return null;
  const [row] = await source.query('SELECT migration FROM migration_step WHERE step = ?', [revertingStep]);
  return row?.migration ?? null;
}

/** The table of steps, in the words of either database. */
export function createStepTable({ isSqlite }: { readonly isSqlite: boolean }): string {
  const engine = isSqlite ? '' : ' ENGINE=InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';
  return `CREATE TABLE IF NOT EXISTS migration_step (${stepColumns})${engine}`;
}

/** The statement that notes a step and the version of Tollgate that carried it out, and its parameters. */
export function noteStep(migration: string, step: string, statement: string, clock: Clock): [string, unknown[]] {
  return [insertStep, [migration, step, statement.trim().slice(0, 191), productVersion, clock.nowMs()]];
}

/**
 * Makes each statement of a migration on MySQL a step that is carried out exactly once, however often the migration is
 * interrupted and begun again. MySQL commits every change of the schema by itself, so a migration cannot be one transaction.
 *
 * - A statement that is noted in `migration_step` is passed over.
 * - A change of the schema is noted after it. Whoever died in between left a change without its note: it is looked up in
 *   `information_schema`, as are all those of a release that kept no notes.
 * - A change of rows shares one transaction with its note.
 * - Any other statement is refused.
 *
 * A step is known by its text, its parameters, and how often the same has come before; so a migration must make the same
 * statements each time it is run, and must not look at what a change of rows answers.
 */
export class MigrationSteps {
  readonly #query: Query;
  readonly #done = new Map<string, Set<string>>();
  #migration: string | null = null;
  #repetitions = new Map<string, number>();
  #isGoingDown = false;

  private constructor(
    runner: QueryRunner,
    private readonly clock: Clock,
  ) {
    this.#query = runner.query.bind(runner) as Query;
    runner.query = ((sql: string, parameters?: unknown[], useStructuredResult?: boolean) =>
      this.#run(sql, parameters, useStructuredResult)) as QueryRunner['query'];
  }

  /** Reads what was noted so far. From now on the runner's statements are steps, once `beginMigration` said of what. */
  static async takeOver(runner: QueryRunner, clock: Clock): Promise<MigrationSteps> {
    await runner.query(createStepTable({ isSqlite: false }));
    const rows: { migration: string; step: string }[] = await runner.query(
      'SELECT migration, step FROM migration_step',
    );
    const steps = new MigrationSteps(runner, clock);
    for (const { migration, step } of rows) steps.#noted(migration).add(step);
    return steps;
  }

  /** How many steps of this migration an earlier run has noted. */
  countDone(migration: string): number {
    return this.#noted(migration).size;
  }

  beginMigration(migration: string): void {
    this.#migration = migration;
    this.#repetitions = new Map();
    this.#isGoingDown = false;
  }

  /**
   * Takes a migration back. Its statements are steps as well, noted beside those of the way up, and the first note says that
   * it was begun: from then on only reverting again goes on.
   */
  async beginReverting(migration: string): Promise<void> {
    this.beginMigration(migration);
    this.#isGoingDown = true;
    if (this.#noted(migration).has(revertingStep)) return;
    await this.#query(...noteStep(migration, revertingStep, 'is being taken back', this.clock));
  }

  /** Forgets the migration and all its steps at once, so that it can be run again later. */
  async endReverting(migration: string): Promise<void> {
    this.end();
    await this.#query('START TRANSACTION');
    await this.#query('DELETE FROM migrations WHERE name = ?', [migration]);
    await this.#query('DELETE FROM migration_step WHERE migration = ?', [migration]);
    await this.#query('COMMIT');
    this.#done.delete(migration);
  }

  /** What the runner is asked from now on is no step any more. */
  end(): void {
    this.#migration = null;
  }

  async #run(sql: string, parameters?: unknown[], useStructuredResult?: boolean): Promise<unknown> {
    const run = () => this.#query(sql, parameters, useStructuredResult);
    if (this.#migration === null) return run();
    const statement = readMigrationStatement(sql);
    if (statement === null) throw new UnknownMigrationStatementError(this.#migration, sql);
    if (statement.kind === 'read') return run();
    const step = this.#nameStep(sql, parameters);
    if (this.#noted(this.#migration).has(step)) return undefined;
    const result = await this.#runOnce(statement, sql, run, () => this.#note(step, sql));
    this.#noted(this.#migration).add(step);
    return result;
  }

  async #runOnce(
    statement: MigrationStatement,
    sql: string,
    run: () => Promise<unknown>,
    note: () => Promise<unknown>,
  ): Promise<unknown> {
    if (statement.kind === 'schema') {
      const result = (await this.#isInSchema(statement, sql)) ? undefined : await run();
      await note();
      return result;
    }
    await this.#query('START TRANSACTION');
    try {
      const result = await run();
      await note();
      await this.#query('COMMIT');
      return result;
    } catch (error) {
      // The first error tells what happened; a connection that is gone has been rolled back by the server.
      await this.#query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  async #isInSchema(statement: MigrationStatement, sql: string): Promise<boolean> {
    if (statement.kind !== 'schema' || statement.lookup === null) return false;
    const { lookup, createdTable } = statement;
    const rows = (await this.#query(lookup.sql, [...lookup.parameters])) as unknown[];
    if (lookup.isDoneWhen === 'missing') return rows.length === 0;
    if (rows.length > 0 && createdTable !== null) await this.#refuseForeignTable(createdTable, sql);
    return rows.length > 0;
  }

  // A table of the same name that somebody else made must not be taken for ours.
  async #refuseForeignTable(table: string, sql: string): Promise<void> {
    const rows = (await this.#query(
      'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?',
      [table],
    )) as { name: string }[];
    const strange = rows.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(sql)).map(({ name }) => name);
    if (strange.length > 0) throw new ForeignTableError(table, strange);
  }

  #note(step: string, sql: string): Promise<unknown> {
    return this.#query(...noteStep(String(this.#migration), step, sql, this.clock));
  }

  #nameStep(sql: string, parameters: unknown[] = []): string {
    const hash = createHash('sha256')
      .update(JSON.stringify([sql, parameters]))
      .digest('hex')
      .slice(0, 32);
    const repetition = (this.#repetitions.get(hash) ?? 0) + 1;
    this.#repetitions.set(hash, repetition);
    return `${this.#isGoingDown ? downPrefix : ''}${hash}:${repetition}`;
  }

  #noted(migration: string): Set<string> {
    const steps = this.#done.get(migration) ?? new Set();
    this.#done.set(migration, steps);
    return steps;
  }
}

/** A migration makes a statement whose second run after an interruption nobody has thought of. */
class UnknownMigrationStatementError extends Error {
  override readonly name = 'UnknownMigrationStatementError';

  constructor(migration: string, sql: string) {
    super(
      `${migration} makes a statement that cannot be a step: ${sql.trim().slice(0, 120)}. Make it of the forms that server/database/schema-changes/migration-statement.ts knows, or teach that file how to see whether it was carried out.`,
    );
  }
}

/** Somebody began to take a migration back and was interrupted. */
export class HalfRevertedError extends PlainFailure {
  override readonly name = 'HalfRevertedError';

  constructor(migration: string) {
    super(
      `DATABASE_URL: ${migration} was being reverted, and that did not finish. Run npm run migration:revert again with the version that began it; then start.`,
    );
  }
}

/** The database holds a table of another program under a name that we need. */
class ForeignTableError extends PlainFailure {
  override readonly name = 'ForeignTableError';

  constructor(table: string, strangeColumns: readonly string[]) {
    super(
      `DATABASE_URL: The table ${table} is there, and not Tollgate's: it has ${strangeColumns.slice(0, 5).join(', ')}. Give Tollgate a database of its own.`,
    );
  }
}
