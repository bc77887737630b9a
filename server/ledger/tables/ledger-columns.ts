import type { KeyRow, KeySpendRow } from '../key-spend/key-spend-rows.js';
import type { CallRecordRow, HoldRow, LeaseRow, TransferRow, UsageHourRow, WalletRow } from './ledger-rows.js';

/** Every column of a receipt, in the order in which it is written: what is fixed when a call begins, and what its ending says. */
const receiptColumns: Readonly<Record<keyof CallRecordRow, 'begun' | 'ending'>> = {
  call_id: 'begun',
  account_id: 'begun',
  key_id: 'begun',
  model: 'begun',
  provider: 'ending',
  tier: 'begun',
  millicredits_per_token: 'begun',
  is_streamed: 'begun',
  outcome: 'ending',
  error_code: 'ending',
  finish_reason: 'ending',
  usage_source: 'ending',
  prompt_tokens: 'ending',
  completion_tokens: 'ending',
  held_millicredits: 'begun',
  charged_millicredits: 'ending',
  absorbed_millicredits: 'ending',
  started_at_ms: 'begun',
  first_byte_ms: 'ending',
  total_ms: 'ending',
  attempts: 'ending',
  estimate_parts: 'ending',
  tag: 'ending',
  end_user: 'ending',
  cached_tokens: 'ending',
  reasoning_tokens: 'ending',
  lease: 'begun',
  balance_after: 'begun',
  price_multiplier: 'begun',
};

function listColumns(...parts: readonly ('begun' | 'ending')[]): readonly (keyof CallRecordRow)[] {
  const names = Object.keys(receiptColumns) as (keyof CallRecordRow)[];
  return names.filter((name) => parts.includes(receiptColumns[name]));
}

/** The columns of each table in the order in which rows are written. */
export const columnsOf = {
  usage_hour: [
    'account_id',
    'hour_ms',
    'key_id',
    'model',
    'provider',
    'calls',
    'failed_calls',
    'prompt_tokens',
    'completion_tokens',
    'charged_millicredits',
    'absorbed_millicredits',
    'told_calls',
    'cached_tokens',
    'reasoning_tokens',
  ] as const satisfies readonly (keyof UsageHourRow)[],
  ledger_transfer: [
    'wallet',
    'wallet_seq',
    'id',
    'type',
    'debit_account',
    'credit_account',
    'amount',
    'available_after',
    'posted_after',
    'hold_id',
    'resolves',
    'at_ms',
  ] as const satisfies readonly (keyof TransferRow)[],
  ledger_hold: [
    'id',
    'wallet',
    'key_id',
    'amount',
    'state',
    'posted',
    'progress_prompt_tokens',
    'progress_completion_tokens',
    'lease_until_ms',
    'instance',
    'model',
    'provider',
    'tier',
    'millicredits_per_token',
    'is_streamed',
    'started_at_ms',
    'spend_period',
    'price_multiplier',
  ] as const satisfies readonly (keyof HoldRow)[],
  key_spend: [
    'key_id',
    'period',
    'wallet',
    'starts_at_ms',
    'ends_at_ms',
    'limit_millicredits',
    'spent_millicredits',
    'pending_millicredits',
    'excess_millicredits',
  ] as const satisfies readonly (keyof KeySpendRow)[],
  call_record: listColumns('begun', 'ending'),
  wallet_lease: [
    'id',
    'wallet',
    'instance',
    'amount',
    'spent',
    'calls',
    'reserved',
    'state',
    'key_id',
    'spend_period',
  ] as const satisfies readonly (keyof LeaseRow)[],
};

/** What is read of a key. */
export const keyColumns = [
  'id',
  'revoked_at_ms',
  'expires_at_ms',
  'revision',
  'spend_limit_millicredits',
  'spend_period',
  'made_by',
  'maker_budget_millicredits',
] as const satisfies readonly (keyof KeyRow)[];

/** What may change of a key's counter. */
export const keySpendValues = columnsOf.key_spend.slice(5);

/** The sums of a row of usage; the columns before them say whose it is. */
export const usageSums = columnsOf.usage_hour.slice(5);

/** What an update may change of a row; the rest of it is fixed when it is made. */
export const changeableColumnsOf = {
  ledger_account: [
    'state',
    'frozen_for',
    'credits_posted',
    'debits_posted',
    'debits_pending',
    'debt',
    'seq',
  ] as const satisfies readonly (keyof WalletRow)[],
  ledger_hold: [
    'state',
    'posted',
    'progress_prompt_tokens',
    'progress_completion_tokens',
    'lease_until_ms',
    'spend_period',
  ] as const satisfies readonly (keyof HoldRow)[],
  wallet_lease: ['spent', 'calls', 'reserved', 'state', 'spend_period'] as const satisfies readonly (keyof LeaseRow)[],
  call_record: listColumns('ending'),
};
