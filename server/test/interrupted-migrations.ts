import type { PoolConnection } from 'mysql2';
import type { QueryRunner } from 'typeorm';
import type { TollgateDataSource } from '../database/data-source.js';

/** What a start sees whose process was killed, or whose connection was cut. */
export class CutError extends Error {}

type Query = (sql: string, parameters?: unknown[], useStructuredResult?: boolean) => Promise<unknown>;

/**
 * Cuts the connection of start after start, each time right after a statement that none was cut after before: over as many
 * starts as it takes, after every single statement that the migrations make.
 */
export class MigrationCutter {
  readonly #cutAfter = new Set<string>();

  /**
   * @param areStepsNoted false: nothing is ever written to `migration_step`, as by a release that did not know it.
   * @param isMeant Whether it cuts after this statement at all.
   */
  constructor(
    private readonly areStepsNoted = true,
    private readonly isMeant: (sql: string) => boolean = () => true,
  ) {}

  /** After how many statements a connection was cut so far. */
  get cutCount(): number {
    return this.#cutAfter.size;
  }

  /** Lies in wait on every connection that this source hands to its migrations. */
  watch(source: TollgateDataSource): void {
    const create = source.createQueryRunner.bind(source);
    source.createQueryRunner = (mode) => this.#watchRunner(create(mode));
  }

  #watchRunner(runner: QueryRunner): QueryRunner {
    const query = runner.query.bind(runner) as Query;
    let isCut = false;
    let before = '';
    runner.query = (async (sql: string, parameters?: unknown[], useStructuredResult?: boolean) => {
      if (isCut) throw new CutError();
      const isNote = sql.startsWith('INSERT INTO migration_step');
      const isLeftOut = isNote && !this.areStepsNoted;
      const result = isLeftOut ? undefined : await query(sql, parameters, useStructuredResult);
      if (isLeftOut || !changesSomething(sql) || !this.isMeant(sql)) return result;
      // A COMMIT is known by what it commits.
      const name = sql === 'COMMIT' ? `COMMIT of ${before}` : JSON.stringify([sql, parameters]);
      before = name;
      if (this.#cutAfter.has(name)) return result;
      this.#cutAfter.add(name);
      isCut = true;
      await cutConnection(runner);
      throw new CutError();
    }) as QueryRunner['query'];
    return runner;
  }
}

// On SQLite the connection is closed with its source, whose transaction is lost then.
async function cutConnection(runner: QueryRunner): Promise<void> {
  if (runner.connection.options.type !== 'mysql') return;
  const connection = (await runner.connect()) as PoolConnection;
  connection.destroy();
}

// Probes change nothing, since the table that they name does not exist.
function changesSomething(sql: string): boolean {
  return !/^\s*(SELECT|SHOW|SET|PRAGMA|BEGIN|START|ROLLBACK)\b|tollgate_probe/i.test(sql);
}
