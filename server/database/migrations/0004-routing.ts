import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';

const columns = [
  { table: 'account', name: 'preferred_provider', column: c.nameColumn },
  { table: 'call_record', name: 'attempts', column: c.textColumn },
] as const;

/** Which provider an account would rather have, and whom each call has asked. */
export class Routing1795392000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const { table, name, column } of columns) {
      const type = 'length' in column ? `${column.type}(${column.length})` : column.type;
      // TypeORM's own way copies the whole table on SQLite; both databases add an empty column at once.
      await queryRunner.query(`ALTER TABLE ${table} ADD COLUMN ${name} ${type} NULL`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const { table, name } of columns.toReversed()) {
      await queryRunner.query(`ALTER TABLE ${table} DROP COLUMN ${name}`);
    }
  }
}
