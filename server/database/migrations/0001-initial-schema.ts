import type { MigrationInterface, QueryRunner } from 'typeorm';
import * as c from '../columns.js';
import { makeAppendOnly } from '../schema-changes/append-only.js';
import { dropTable } from '../schema-changes/change-table.js';
import { createTable, type TableSpec } from '../schema-changes/create-table.js';

const maybe = <Column extends object>(column: Column) => ({ ...column, nullable: true });

const account: TableSpec = {
  name: 'account',
  columns: {
    id: c.idColumn,
    email: c.nameColumn,
    email_normalised: c.nameColumn,
    name: c.nameColumn,
    password_hash: c.nameColumn,
    key_revision: c.countColumn,
    created_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  unique: { ux_account_email: ['email_normalised'] },
};

const session: TableSpec = {
  name: 'session',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    token_hash: c.hashColumn,
    created_at_ms: c.instantColumn,
    last_used_at_ms: c.instantColumn,
    expires_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  unique: { ux_session_token: ['token_hash'] },
  indices: { ix_session_account: ['account_id'] },
  references: { account_id: 'account' },
};

const apiKey: TableSpec = {
  name: 'api_key',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    name: c.nameColumn,
    secret_hash: c.hashColumn,
    masked_secret: c.wordColumn,
    created_at_ms: c.instantColumn,
    last_used_at_ms: maybe(c.instantColumn),
    revoked_at_ms: maybe(c.instantColumn),
  },
  primaryKey: ['id'],
  unique: { ux_api_key_secret: ['secret_hash'] },
  indices: { ix_api_key_account: ['account_id'] },
  references: { account_id: 'account' },
};

const purchase: TableSpec = {
  name: 'purchase',
  columns: {
    id: c.idColumn,
    account_id: c.idColumn,
    gateway: c.wordColumn,
    gateway_session_id: maybe(c.nameColumn),
    checkout_url: maybe(c.urlColumn),
    amount_cents: c.integerColumn,
    currency: c.wordColumn,
    credits_millicredits: c.millicreditsColumn,
    status: c.wordColumn,
    created_at_ms: c.instantColumn,
    paid_at_ms: maybe(c.instantColumn),
  },
  primaryKey: ['id'],
  unique: { ux_purchase_gateway_session: ['gateway', 'gateway_session_id'] },
  indices: { ix_purchase_account: ['account_id', 'id'] },
  references: { account_id: 'account' },
  checks: { ck_purchase_amounts: 'amount_cents > 0 AND credits_millicredits > 0' },
};

const simulatedCheckout: TableSpec = {
  name: 'simulated_checkout',
  columns: {
    id: c.nameColumn,
    purchase_id: c.idColumn,
    amount_cents: c.integerColumn,
    currency: c.wordColumn,
    is_paid: c.booleanColumn,
    created_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  indices: { ix_simulated_checkout_purchase: ['purchase_id'] },
  references: { purchase_id: 'purchase' },
};

const ledgerAccount: TableSpec = {
  name: 'ledger_account',
  columns: {
    id: c.idColumn,
    kind: c.wordColumn,
    state: c.wordColumn,
    credits_posted: c.millicreditsColumn,
    debits_posted: c.millicreditsColumn,
    debits_pending: c.millicreditsColumn,
    debt: c.millicreditsColumn,
    seq: c.countColumn,
  },
  primaryKey: ['id'],
  checks: {
    ck_ledger_account_range:
      'credits_posted >= 0 AND debits_posted >= 0 AND debits_pending >= 0 AND debt >= 0 AND credits_posted <= 9000000000000000 AND debits_posted <= 9000000000000000 AND debits_pending <= 9000000000000000',
    ck_ledger_account_overspend: "kind <> 'wallet' OR credits_posted - debits_posted - debits_pending >= -debt",
  },
};

const ledgerTransfer: TableSpec = {
  name: 'ledger_transfer',
  columns: {
    wallet: c.idColumn,
    wallet_seq: c.countColumn,
    id: c.transferIdColumn,
    type: c.wordColumn,
    debit_account: c.idColumn,
    credit_account: c.idColumn,
    amount: c.millicreditsColumn,
    available_after: c.millicreditsColumn,
    posted_after: c.millicreditsColumn,
    hold_id: maybe(c.idColumn),
    resolves: maybe(c.idColumn),
    at_ms: c.instantColumn,
  },
  primaryKey: ['wallet', 'wallet_seq'],
  unique: { ux_ledger_transfer_id: ['id'], ux_ledger_transfer_resolves: ['resolves'] },
  indices: { ix_ledger_transfer_hold: ['hold_id'] },
  references: { wallet: 'ledger_account', debit_account: 'ledger_account', credit_account: 'ledger_account' },
  checks: {
    ck_ledger_transfer_amount: 'amount >= 0 AND amount <= 9000000000000000 AND wallet_seq >= 1',
    ck_ledger_transfer_sides: 'debit_account <> credit_account',
  },
};

const ledgerHold: TableSpec = {
  name: 'ledger_hold',
  columns: {
    id: c.idColumn,
    wallet: c.idColumn,
    key_id: c.idColumn,
    amount: c.millicreditsColumn,
    state: c.wordColumn,
    posted: c.millicreditsColumn,
    progress_prompt_tokens: c.countColumn,
    progress_completion_tokens: c.countColumn,
    lease_until_ms: c.instantColumn,
    instance: c.idColumn,
    model: c.nameColumn,
    provider: c.nameColumn,
    tier: c.wordColumn,
    millicredits_per_token: c.integerColumn,
    is_streamed: c.booleanColumn,
    started_at_ms: c.instantColumn,
  },
  primaryKey: ['id'],
  indices: { ix_ledger_hold_lease: ['state', 'lease_until_ms'], ix_ledger_hold_wallet: ['wallet', 'state'] },
  references: { wallet: 'ledger_account' },
  checks: {
    ck_ledger_hold_amounts:
      'amount > 0 AND posted >= 0 AND posted <= amount AND progress_prompt_tokens >= 0 AND progress_completion_tokens >= 0',
  },
};

const callRecord: TableSpec = {
  name: 'call_record',
  columns: {
    call_id: c.idColumn,
    account_id: c.idColumn,
    key_id: c.idColumn,
    model: c.nameColumn,
    provider: c.nameColumn,
    tier: c.wordColumn,
    millicredits_per_token: c.integerColumn,
    is_streamed: c.booleanColumn,
    outcome: c.wordColumn,
    error_code: maybe(c.nameColumn),
    finish_reason: maybe(c.wordColumn),
    usage_source: c.wordColumn,
    prompt_tokens: c.countColumn,
    completion_tokens: c.countColumn,
    held_millicredits: c.millicreditsColumn,
    charged_millicredits: c.millicreditsColumn,
    absorbed_millicredits: c.millicreditsColumn,
    started_at_ms: c.instantColumn,
    first_byte_ms: maybe(c.integerColumn),
    total_ms: c.integerColumn,
  },
  primaryKey: ['call_id'],
  indices: { ix_call_record_account: ['account_id', 'call_id'], ix_call_record_key: ['key_id', 'call_id'] },
  references: { account_id: 'ledger_account' },
  checks: {
    ck_call_record_tokens: 'prompt_tokens >= 0 AND completion_tokens >= 0',
    ck_call_record_price:
      'charged_millicredits + absorbed_millicredits = (prompt_tokens + completion_tokens) * millicredits_per_token',
  },
};

const usageHour: TableSpec = {
  name: 'usage_hour',
  columns: {
    account_id: c.idColumn,
    hour_ms: c.instantColumn,
    key_id: c.idColumn,
    model: c.nameColumn,
    provider: c.nameColumn,
    calls: c.countColumn,
    failed_calls: c.countColumn,
    prompt_tokens: c.countColumn,
    completion_tokens: c.countColumn,
    charged_millicredits: c.millicreditsColumn,
    absorbed_millicredits: c.millicreditsColumn,
  },
  primaryKey: ['account_id', 'hour_ms', 'key_id', 'model', 'provider'],
  references: { account_id: 'ledger_account' },
};

const tables = [
  account,
  session,
  apiKey,
  purchase,
  simulatedCheckout,
  ledgerAccount,
  ledgerTransfer,
  ledgerHold,
  callRecord,
  usageHour,
];

const systemAccounts = [
  'sys:sales',
  'sys:grants',
  'sys:usage',
  'sys:absorbed',
  'sys:refunds',
  'sys:disputes',
  'sys:adjustments',
];

/** Everything of the first release: accounts, keys, purchases and the ledger with its constraints. */
export class InitialSchema1795132800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables) await createTable(queryRunner, table);
    await makeAppendOnly(queryRunner, 'ledger_transfer');
    for (const id of systemAccounts) {
      // Only if it is not there: a release that noted no steps may have been interrupted between two of them.
      await queryRunner.query(
        `INSERT INTO ledger_account (id, kind, state, credits_posted, debits_posted, debits_pending, debt, seq)
         SELECT '${id}', 'system', 'open', 0, 0, 0, 0, 0 FROM (SELECT 1 AS one) AS one_row
         WHERE NOT EXISTS (SELECT 1 FROM ledger_account WHERE id = '${id}')`,
      );
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of tables.toReversed()) await dropTable(queryRunner, table.name);
  }
}
