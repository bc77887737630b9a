import { readMigrationStatement } from './migration-statement.js';

/** What is looked up, and what it means when it is there. */
function lookupOf(sql: string): unknown {
  const statement = readMigrationStatement(sql);
  if (statement?.kind !== 'schema') return statement?.kind ?? null;
  if (statement.lookup === null) return 'may be repeated';
  const { parameters, isDoneWhen } = statement.lookup;
  return [isDoneWhen, ...parameters];
}

describe('readMigrationStatement', () => {
  it.each([
    ['CREATE TABLE `note` (`id` int NOT NULL) ENGINE=InnoDB', ['found', 'note']],
    ['DROP TABLE `note`', ['missing', 'note']],
    ['RENAME TABLE note TO remark', ['found', 'remark']],
    ['CREATE UNIQUE INDEX `ux_note` ON `note` (`id`)', ['found', 'note', 'ux_note']],
    ['DROP INDEX `ux_note` ON `note`', ['missing', 'note', 'ux_note']],
    ['ALTER TABLE note ADD UNIQUE INDEX ux_note (id)', ['found', 'note', 'ux_note']],
    ['CREATE TRIGGER t BEFORE UPDATE ON note FOR EACH ROW SET @a = 1', ['found', 't']],
    ['DROP TRIGGER IF EXISTS t', ['missing', 't']],
    ['ALTER TABLE note ADD CONSTRAINT ck_note CHECK (id > 0)', ['found', 'note', 'ck_note']],
    ['ALTER TABLE `note` DROP FOREIGN KEY `fk_note`', ['missing', 'note', 'fk_note']],
    ['ALTER TABLE note ADD COLUMN text varchar(24) NULL', ['found', 'note', 'text']],
    ['ALTER TABLE `db`.`note` ADD `text` varchar(24) NULL', ['found', 'note', 'text']],
    ['ALTER TABLE note DROP COLUMN text', ['missing', 'note', 'text']],
    ['ALTER TABLE note RENAME COLUMN text TO words', ['found', 'note', 'words']],
    ['ALTER TABLE `note` CHANGE `text` `words` text NULL', ['found', 'note', 'words']],
    ['ALTER TABLE `note` CHANGE `text` `text` text NOT NULL', 'may be repeated'],
    ['ALTER TABLE note MODIFY COLUMN text text NOT NULL', 'may be repeated'],
    ['INSERT INTO note VALUES (1)', 'data'],
    ["UPDATE note SET text = ''", 'data'],
    ['DELETE FROM note', 'data'],
    ['SELECT 1', 'read'],
    ['SHOW CREATE TABLE note', 'read'],
  ])('knows how to see whether it was carried out: %s', (sql, expected) => {
    expect(lookupOf(sql)).toEqual(expected);
  });

  it.each([
    'ALTER TABLE note ADD INDEX (id)',
    'ALTER TABLE note ADD PRIMARY KEY (id)',
    'ALTER TABLE note ADD CHECK (id > 0)',
    'ALTER TABLE note DROP PRIMARY KEY',
    'ALTER TABLE note ENGINE = MyISAM',
    'ALTER TABLE note ADD COLUMN (a int, b int)',
    'DROP TABLE note, remark',
    'RENAME TABLE a TO b, c TO d',
    'TRUNCATE TABLE note',
    'CALL something()',
    'START TRANSACTION',
    'COMMIT',
    'SET SESSION foreign_key_checks = 0',
    'REPLACE INTO note VALUES (1)',
    'CREATE VIEW notes AS SELECT 1',
    'WITH old AS (SELECT 1) DELETE FROM note',
    '',
  ])('knows nothing of what could be done twice or by halves: %s', (sql) => {
    expect(readMigrationStatement(sql)).toBeNull();
  });
});
