import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';

/** What the estimate of a call is made of. */
export class EstimateParts1795910400000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // TypeORM's own way copies the whole table on SQLite; both databases add an empty column at once.
    await queryRunner.query(`ALTER TABLE call_record ADD COLUMN estimate_parts ${c.textColumn.type} NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE call_record DROP COLUMN estimate_parts');
  }
}
