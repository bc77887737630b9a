import type { QueryRunner } from 'typeorm';
import { migrations } from '../../entities.js';
import { describeOnEachDatabase, type TestDatabase } from '../../test/each-database.js';
import { findUnsafeStatements } from '../../test/expanding-statements.js';
import { createDataSource, openDataSource, type TollgateDataSource } from '../data-source.js';

/**
 * Migrations beside which the release before does not go on, each with the reason why that is accepted. A new one belongs here
 * only where docs/upgrading.md tells operators what to do.
 */
const reasons: Readonly<Record<string, string>> = {
  TopUpsAndNotices1795478400000: 'It fills a column of its own, which the release before does not know.',
  KeyPermissions1795564800000: 'It came with the first release that anybody was to upgrade from.',
  PriceMultipliers1798934400000: 'It takes a rule off a table: what the release before writes keeps it all the same.',
  BeginKeyChangeCount1801008000000:
    'It writes the row that the release before makes at its first start, and only where it has not.',
  CardPayers1801267200000: 'It fills columns of its own, which the release before does not know.',
  OneIndexLessForHolds1795737600000: 'An index on SQLite, where no two servers run; no statement names it.',
};

type Query = (...parts: readonly unknown[]) => Promise<unknown>;

/** Remembers every statement of the runners that this source hands out. */
function recordStatements(source: TollgateDataSource): string[] {
  const statements: string[] = [];
  const create = source.createQueryRunner.bind(source);
  source.createQueryRunner = (mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner) as Query;
    runner.query = ((...parts: readonly unknown[]) => {
      statements.push(String(parts[0]));
      return query(...parts);
    }) as QueryRunner['query'];
    return runner;
  };
  return statements;
}

/** Runs one migration after the other, and judges the statements of each. */
async function findUnsafeMigrations({ address }: TestDatabase): Promise<Map<string, string[]>> {
  const unsafe = new Map<string, string[]>();
  for (const [index, { name }] of migrations.entries()) {
    const source = createDataSource(address, { entities: [], migrations: migrations.slice(0, index + 1) });
    const statements = recordStatements(source);
    await openDataSource(source);
    await source.destroy();
    expect(statements.length).toBeGreaterThan(0);
    const found = findUnsafeStatements(statements);
    if (found.length > 0) unsafe.set(name, found);
  }
  return unsafe;
}

describeOnEachDatabase('The migrations', (openTestDatabase) => {
  it('change nothing that the release before reads or writes, or say why', async () => {
    const unsafe = await findUnsafeMigrations(await openTestDatabase());
    expect([...unsafe].filter(([name]) => reasons[name] === undefined)).toEqual([]);
  });
});

describe('A statement of a migration', () => {
  it.each([
    'CREATE TABLE notice (id varchar(40) NOT NULL)',
    'ALTER TABLE call_record ADD COLUMN note text NULL',
    'ALTER TABLE call_record ADD COLUMN note varchar(24)',
    'ALTER TABLE `call_record` ADD `note` varchar(40) NULL',
    "ALTER TABLE call_record ADD COLUMN note varchar(40) NOT NULL DEFAULT ''",
    'CREATE INDEX ix_call_note ON call_record (note)',
    "INSERT INTO migrations (timestamp, name) VALUES (1, 'Note1')",
  ])('is known to leave the release before alone: %s', (statement) => {
    expect(findUnsafeStatements([statement])).toEqual([]);
  });

  it.each([
    'DROP TABLE notice',
    'ALTER TABLE call_record DROP COLUMN note',
    'ALTER TABLE call_record RENAME COLUMN note TO remark',
    'ALTER TABLE call_record CHANGE note remark text NULL',
    'ALTER TABLE call_record MODIFY note text NOT NULL',
    'RENAME TABLE notice TO notices',
    'ALTER TABLE call_record ADD COLUMN note varchar(40) NOT NULL',
    'ALTER TABLE call_record ADD CONSTRAINT ck_note CHECK (note <> 1)',
    'CREATE UNIQUE INDEX ux_call_note ON call_record (note)',
    "UPDATE call_record SET note = ''",
    'DROP INDEX ix_call_note ON call_record',
    'TRUNCATE notice',
  ])('is not: %s', (statement) => {
    expect(findUnsafeStatements([statement])).toEqual([statement]);
  });

  it('may put rules on a table that its own migration has made', () => {
    const made = 'CREATE TABLE note (id varchar(40) NOT NULL)';
    expect(findUnsafeStatements([made, 'CREATE UNIQUE INDEX "ux_note" ON "note" ("id")'])).toEqual([]);
    expect(findUnsafeStatements([made, 'ALTER TABLE note ADD CONSTRAINT ck_note CHECK (id <> 1)'])).toEqual([]);
  });
});
