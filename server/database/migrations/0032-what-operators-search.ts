import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropIndex } from '../schema-changes/change-table.js';

const indices = [
  ['ix_account_name', 'account', 'name'],
  ['ix_api_key_masked', 'api_key', 'masked_secret'],
  ['ix_purchase_session', 'purchase', 'gateway_session_id'],
] as const;

/** What operators search accounts by beside ids and e-mail addresses: names, what is shown of a key, the payment's id. */
export class WhatOperatorsSearch1797811200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, table, column] of indices)
      await queryRunner.query(`CREATE INDEX ${name} ON ${table} (${column})`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [name, table] of indices.toReversed()) await dropIndex(queryRunner, table, name);
  }
}
