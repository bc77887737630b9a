import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * On a MySQL database that nobody has used yet, no release runs that changes keys and notes nothing: the count of changes begins, and
 * is complete. A server finds that out at its first start as well, but by then `database move` may have brought accounts.
 */
export class BeginKeyChangeCount1801008000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (queryRunner.connection.options.type !== 'mysql') return;
    await queryRunner.query(
      'INSERT IGNORE INTO key_change_count (id, number, is_complete) SELECT 1, 0, 1 FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM account)',
    );
  }

  async down(): Promise<void> {
    // The release before makes the row itself where there is none, and goes on with it where there is.
  }
}
