import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const maybe = <Column extends object>(column: Column) => ({ ...column, nullable: true });

const idempotentAnswer: TableSpec = {
  name: 'idempotent_answer',
  columns: {
    account_id: c.idColumn,
    key_hash: c.hashColumn,
    body_hash: c.hashColumn,
    call_id: c.idColumn,
    is_finished: c.booleanColumn,
    answer: maybe(c.textColumn),
    created_at_ms: c.instantColumn,
  },
  primaryKey: ['account_id', 'key_hash'],
  indices: { ix_idempotent_answer_created: ['created_at_ms'] },
};

const requestMinute: TableSpec = {
  name: 'request_minute',
  columns: { account_id: c.idColumn, moments: c.textColumn },
  primaryKey: ['account_id'],
};

/** What the proxy's edge keeps: answers to be given again to the same `Idempotency-Key`, and the requests of a minute. */
export class IdempotentAnswers1795219200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await createTable(queryRunner, idempotentAnswer);
    await createTable(queryRunner, requestMinute);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, requestMinute.name);
    await dropTable(queryRunner, idempotentAnswer.name);
  }
}
