import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isSqliteRunner } from '../schema-changes/create-table.js';

/**
 * SQLite writes one scattered page less for each step of a call. Whoever asks for the open holds of a wallet finds them by
 * `ix_ledger_hold_lease`, which keeps the few that are open together. MySQL needs the index for its foreign key.
 */
export class OneIndexLessForHolds1795737600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (isSqliteRunner(queryRunner)) await queryRunner.query('DROP INDEX ix_ledger_hold_wallet');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    if (!isSqliteRunner(queryRunner)) return;
    await queryRunner.query('CREATE INDEX ix_ledger_hold_wallet ON ledger_hold (wallet, state)');
  }
}
