/** A file that may name tables which another folder owns. */
export interface TablesElsewhere {
  readonly file: string;
  readonly tables: readonly string[];
  readonly reason: string;
}

const sumsReason =
  'sums of receipts are read in shapes of their own, by SQL that the ledger’s readers do not offer; nothing is written';
const noTable = 'a column, a dimension or a kind of payment of the same name, and not the table';

/**
 * Tables that are named outside of their owner's folder, each with its reason. A row goes away once its owner offers a function; no row
 * comes without one.
 */
export const tablesElsewhere: readonly TablesElsewhere[] = [
  {
    file: 'server/accounts/account-deletion.ts',
    tables: [
      ...['account_risk_mark', 'api_key', 'authenticator_app', 'auto_top_up', 'balance_alert', 'factor_recovery'],
      ...['key_network', 'notice_read', 'receipt_link', 'recovery_code', 'saved_item'],
      ...['personal_item', 'webhook_call_look', 'webhook_endpoint'],
    ],
    reason:
      'the end of an account empties what ten folders keep of it, in one transaction; accounts may import none of them',
  },
  {
    file: 'server/cli/take-back-migration.ts',
    tables: ['key_change_count', 'ledger_account', 'running_instance'],
    reason:
      'a database that nobody has used has rows in tables into which migrations put some; their names tell them from others, and none is read',
  },
  {
    file: 'server/accounts/recovery/revoke-keys.ts',
    tables: ['api_key'],
    reason: 'keys end in the transaction of the reset; accounts may not import keys',
  },
  {
    file: 'server/accounts/recovery/end-ways-in.ts',
    tables: ['authenticator_app', 'factor_recovery', 'pending_proof', 'recovery_code'],
    reason:
      'what a thief added to sign in by ends in the transaction that gives the account back; accounts may not import factors',
  },
  {
    file: 'server/accounts/recovery/void-what-is-open.ts',
    tables: ['authenticator_app', 'factor_recovery', 'pending_proof'],
    reason:
      'what was begun on an account is void in the transaction that changes its password or ends its sessions; accounts may not import factors',
  },
  {
    file: 'server/accounts/recovery/end-ways-out.ts',
    tables: ['balance_alert', 'receipt_link', 'webhook_call_look', 'webhook_endpoint'],
    reason:
      'what a thief had the account’s data sent by ends in the transaction that gives the account back; accounts may import none of its owners',
  },
  {
    file: 'server/members/end-members-since.ts',
    tables: ['personal_item'],
    reason: 'what a member kept for themselves goes with the membership; members may not import saved items',
  },
  {
    file: 'server/alerts/find-use.ts',
    tables: ['api_key', 'usage_hour'],
    reason: 'an alert compares budgets and hours of use by two questions; nothing is written',
  },
  {
    file: 'server/database/schema-changes/append-only.ts',
    tables: ['ledger_transfer'],
    reason: 'the guards of append-only tables are made and proved with the schema',
  },
  {
    file: 'server/database/proofs/mysql-standing.ts',
    tables: ['attempt_count'],
    reason: 'whether the server takes writes is tried on a row of no meaning',
  },
  {
    file: 'server/database/hold-account-row.ts',
    tables: ['account'],
    reason:
      'folders that may not import accounts count what an account may have, one after the other; nothing is changed',
  },
  {
    file: 'server/database/proofs/prove-mysql.ts',
    tables: ['ledger_account', 'request_minute'],
    reason:
      'what the database must keep and refuse is tried at the start, on rows of no meaning that are removed again',
  },
  {
    file: 'server/keys/changes/key-change-log.ts',
    tables: ['account'],
    reason: 'one statement asks whether the database has no account yet',
  },
  {
    file: 'server/ledger/checks/check-ledger.ts',
    tables: ['auto_top_up_charge', 'gift_code', 'purchase', 'purchase_reversal'],
    reason: 'the proof of the books compares grants with what they were granted for',
  },
  {
    file: 'server/ledger/checks/sums-invariants.ts',
    tables: ['account_month', 'account_part', 'totals_mark', 'usage_total'],
    reason: 'the proof of the books compares hours of use with what they were summed to; nothing is written',
  },
  ...['commits/mysql-ledger-sql', 'commits/sqlite-ledger', 'key-spend/member-spend-sql'].map((name) => ({
    file: `server/ledger/${name}.ts`,
    tables: ['api_key'],
    reason: 'a hold reads the limit of its key in the statement that books it',
  })),
  {
    file: 'server/ledger/key-spend/key-spend-reader.ts',
    tables: ['api_key'],
    reason: 'the database adds up by the makers of keys what these have spent; nothing is written',
  },
  {
    file: 'server/ledger/commits/sum-usage.ts',
    tables: ['totals_mark'],
    reason:
      'a batch asks up to where hours of use are summed, in the statement that reads its wallets; nothing is written',
  },
  {
    file: 'server/members/memberships.ts',
    tables: ['personal_item'],
    reason: 'what a member kept for themselves goes with the membership; members may not import saved items',
  },
  { file: 'server/purchases/stripe/stripe-cards.ts', tables: ['auto_top_up'], reason: noTable },
  ...['account-months', 'totals-summer', 'usage-totals'].map((name) => ({
    file: `server/totals/${name}.ts`,
    tables: ['usage_hour', 'usage_late'],
    reason: sumsReason,
  })),
  ...['account-months', 'totals-summer'].map((name) => ({
    file: `server/totals/${name}.ts`,
    tables: ['price_version'],
    reason: noTable,
  })),
  ...['reports/call-hours', 'requests/receipt-reader', 'sums/usage-sets'].map((name) => ({
    file: `server/usage/${name}.ts`,
    tables: ['usage_hour'],
    reason: sumsReason,
  })),
  ...['reports/call-times', 'service/service-samples', 'reports/spending', 'service/timing-samples'].map((name) => ({
    file: `server/usage/${name}.ts`,
    tables: ['call_record'],
    reason: sumsReason,
  })),
  { file: 'server/usage/requests/call-reader.ts', tables: ['call_record', 'ledger_transfer'], reason: sumsReason },
  { file: 'server/usage/reports/latency-report.ts', tables: ['call_record', 'usage_hour'], reason: sumsReason },
  { file: 'server/usage/reports/receipt-sums.ts', tables: ['call_record', 'sealed_month'], reason: sumsReason },
  {
    file: 'server/usage/sums/remove-old-sets.ts',
    tables: ['sealed_month'],
    reason: sumsReason,
  },
  {
    file: 'server/usage/sums/usage-summer.ts',
    tables: ['usage_hour', 'usage_late'],
    reason: sumsReason,
  },
  { file: 'server/usage/reports/usage-report.ts', tables: ['api_key', 'usage_hour'], reason: sumsReason },
  ...['explore.graphql', 'usage-report.graphql'].map((name) => ({
    file: `server/usage/reports/${name}.ts`,
    tables: ['api_key'],
    reason: noTable,
  })),
  {
    file: 'server/webhooks/call-news.ts',
    tables: ['call_record'],
    reason: 'an endpoint is told of calls by a page of receipts in the order of their ids; nothing is written',
  },
];
