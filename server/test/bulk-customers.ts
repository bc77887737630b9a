import type { DataSource } from 'typeorm';
import { encodeTime } from 'ulid';
import { type LoadedRow, loadRows } from './load-rows.js';

/** Many accounts with a little of everything, and their calls, spread evenly over a time. */
export interface Customers {
  readonly accounts: number;
  readonly calls: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What one of them is looked for by. */
export interface KnownCustomer {
  readonly accountId: string;
  readonly keyId: string;
  readonly purchaseId: string;
  readonly sessionId: string;
  readonly callId: string;
}

const hourMs = 3_600_000;
const granted = 5_000_000;
const models = ['gpt-4o-mini', 'demo-small', 'claude-haiku'] as const;
const providers = ['openai', 'demo', 'anthropic'] as const;

const columns = {
  account: 'id, email, email_normalised, name, password_hash, key_revision, created_at_ms',
  api_key: 'id, account_id, name, secret_hash, masked_secret, created_at_ms, scopes, revision',
  ledger_account: 'id, kind, state, credits_posted, debits_posted, debits_pending, debt, seq',
  purchase:
    'id, account_id, gateway, gateway_session_id, amount_cents, currency, credits_millicredits, status, created_at_ms, paid_at_ms',
  notice: 'id, subject_key, account_id, channel, recipient, title, body, state, attempts, due_at_ms, created_at_ms',
  operator_event: 'id, at_ms, actor, action, account_id, reason',
  stripe_event: 'id, type, state, reason, created_at_ms, received_at_ms',
  ledger_transfer:
    'wallet, wallet_seq, id, type, debit_account, credit_account, amount, available_after, posted_after, at_ms',
  call_record:
    'call_id, account_id, key_id, model, provider, tier, millicredits_per_token, is_streamed, outcome, usage_source, prompt_tokens, completion_tokens, held_millicredits, charged_millicredits, absorbed_millicredits, started_at_ms, total_ms',
  usage_hour:
    'account_id, hour_ms, key_id, model, provider, calls, failed_calls, prompt_tokens, completion_tokens, charged_millicredits, absorbed_millicredits',
} as const;

type Table = keyof typeof columns;
type CallTable = keyof ReturnType<typeof makeCall>;
type AccountTable = keyof ReturnType<typeof makeAccount>;

/** Writes them straight into the tables. @returns one of them, from the middle. */
export async function seedCustomers(source: DataSource, customers: Customers): Promise<KnownCustomer> {
  const { accounts, calls } = customers;
  const isSqlite = source.options.type === 'better-sqlite3';
  // Calls first: their tables are quickest to fill while they are empty.
  for (const table of ['call_record', 'usage_hour', 'ledger_transfer'] as const) {
    await loadRows(source, { table, columns: columns[table] }, calls, makeCalls(customers, table, isSqlite));
  }
  for (const table of Object.keys(makeAccount(customers, 0)) as AccountTable[]) {
    // Never in bulk: what calls have filled keeps its indexes.
    await loadRows(source, { table, columns: columns[table] }, 0, makeAccounts(customers, table));
  }
  const middle = Math.floor(accounts / 2);
  return {
    accountId: idOf('acct', middle),
    keyId: idOf('key', middle),
    purchaseId: idOf('pur', middle),
    sessionId: `cs_${middle}`,
    callId: makeCall(customers, Math.floor(calls / 2)).call_record[0] as string,
  };
}

function idOf(kind: string, n: number): string {
  return `${kind}_${String(n).padStart(26, '0')}`;
}

function* makeAccounts(customers: Customers, table: AccountTable): Iterable<LoadedRow> {
  for (let n = 0; n < customers.accounts; n += 1) yield makeAccount(customers, n)[table];
}

/** On SQLite in the order of time, in which its rows lie as they came; on MySQL in that of the table's key, which is written most quickly. */
function* makeCalls(customers: Customers, table: CallTable, isSqlite: boolean): Iterable<LoadedRow> {
  const { accounts, calls } = customers;
  if (isSqlite || table === 'call_record') {
    for (let n = 0; n < calls; n += 1) yield makeCall(customers, n)[table];
    return;
  }
  for (let owner = 0; owner < accounts; owner += 1) {
    for (let n = owner; n < calls; n += accounts) yield makeCall(customers, n)[table];
  }
}

function makeAccount({ accounts, fromMs, toMs }: Customers, n: number) {
  const [accountId, atMs] = [idOf('acct', n), Math.floor(fromMs + ((toMs - fromMs) * n) / accounts)];
  const email = `customer-${n}@mail-${n % 50}.test`;
  const state = n % 100 === 0 ? 'given_up' : 'sent';
  const [id, credits] = [idOf('pur', n), granted];
  return {
    ledger_account: [accountId, 'wallet', 'open', granted, 0, 0, 0, 1],
    account: [accountId, email, email, `Customer ${n}`, 'x', 0, atMs],
    api_key: [idOf('key', n), accountId, 'Key', idOf('hash', n), `sk-tg-${n}…${n % 97}`, atMs, 'chat', 0],
    purchase: [id, accountId, 'stripe', `cs_${n}`, 500, 'usd', credits, 'paid', atMs, atMs],
    notice: [idOf('note', n), `told-${n}`, accountId, 'email', email, 'Told', 'body', state, 1, atMs, atMs],
    operator_event: [idOf('oper', n), atMs, 'somebody', 'freeze', accountId, 'a reason'],
    stripe_event: [`evt_${n}`, 'charge', n % 1_000 === 0 ? 'quarantined' : 'processed', null, atMs, atMs],
    ledger_transfer: [accountId, 1, `${id}:g`, 'purchase', 'sys:sales', accountId, credits, credits, credits, atMs],
  } satisfies Partial<Record<Table, LoadedRow>>;
}

function makeCall({ accounts, calls, fromMs, toMs }: Customers, n: number) {
  const owner = n % accounts;
  const [accountId, keyId] = [idOf('acct', owner), idOf('key', owner)];
  const atMs = Math.floor(fromMs + ((toMs - fromMs) * n) / calls);
  const id = `call_${encodeTime(atMs, 10)}${String(n).padStart(16, '0')}`;
  const [model, provider] = [models[n % 3] as string, providers[n % 3] as string];
  const tokens = [3, n % 100] as const;
  const [cost, left] = [tokens[0] + tokens[1], granted - n];
  const sides = [accountId, 'sys:usage'] as const;
  return {
    call_record: [
      ...[id, accountId, keyId, model, provider, 'lower', 1, 0, 'completed', 'reported', ...tokens, 1_000, cost],
      ...[0, atMs, 500],
    ],
    usage_hour: [accountId, atMs - (atMs % hourMs), keyId, model, provider, 1, 0, ...tokens, cost, 0],
    ledger_transfer: [accountId, 2 + Math.floor(n / accounts), `${id}:r`, 'settled', ...sides, cost, left, left, atMs],
  } satisfies Partial<Record<Table, LoadedRow>>;
}
