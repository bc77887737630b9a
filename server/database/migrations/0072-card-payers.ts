import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { addColumns, dropColumns, dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const payerColumns = { payer_id: c.idColumn, payer_card_id: c.nameColumn, payer_consent_at_ms: c.instantColumn };

const cardToForget: TableSpec = {
  name: 'card_to_forget',
  columns: { gateway: c.wordColumn, card_id: c.nameColumn, noted_at_ms: c.instantColumn },
  primaryKey: ['gateway', 'card_id'],
};

/**
 * Whose card automatic top-ups charge, and cards that the payment gateway is to forget. Of cards from before, the log of the account
 * says whose they are, and who agreed last; what it does not say is known of nobody, least of all of the owner.
 */
export class CardPayers1801267200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await addColumns(queryRunner, 'auto_top_up', payerColumns);
    await createTable(queryRunner, cardToForget);
    // The gateway's own word of a card, which may come last, names nobody.
    await queryRunner.query(
      `UPDATE auto_top_up SET payer_card_id = card_id, payer_id = (SELECT e.person_id FROM account_event e
         WHERE e.account_id = auto_top_up.account_id AND e.kind = 'card_saved' AND e.detail = auto_top_up.card_last4
           AND e.person_id IS NOT NULL ORDER BY e.id DESC LIMIT 1)
       WHERE card_id IS NOT NULL`,
    );
    await queryRunner.query(
      `UPDATE auto_top_up SET payer_consent_at_ms = consent_at_ms
       WHERE payer_id = (SELECT e.person_id FROM account_event e
         WHERE e.account_id = auto_top_up.account_id AND e.kind = 'auto_top_up_set' AND e.detail = 'on'
         ORDER BY e.id DESC LIMIT 1)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTable(queryRunner, cardToForget.name);
    await dropColumns(queryRunner, 'auto_top_up', payerColumns);
  }
}
