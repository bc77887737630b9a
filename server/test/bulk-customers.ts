import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { monotonicFactory } from 'ulid';

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

type Row = readonly (string | number | null)[];

const rowsPerInsert = 1_000;
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

/** Writes them straight into the tables. @returns one of them, from the middle. */
export async function seedCustomers(source: DataSource, customers: Customers): Promise<KnownCustomer> {
  const newUlid = monotonicFactory();
  const idOf = (kind: string, n: number) => `${kind}_${String(n).padStart(26, '0')}`;
  for (let start = 0; start < customers.accounts; start += rowsPerInsert) {
    const rows = new Map<Table, Row[]>();
    for (let n = start; n < Math.min(start + rowsPerInsert, customers.accounts); n += 1) {
      for (const [table, row] of Object.entries(makeAccount(customers, n, idOf)) as [Table, Row][]) {
        rows.set(table, [...(rows.get(table) ?? []), row]);
      }
    }
    await insert(source, rows);
  }
  let callId = '';
  for (let start = 0; start < customers.calls; start += rowsPerInsert) {
    const rows = new Map<Table, Row[]>();
    for (let n = start; n < Math.min(start + rowsPerInsert, customers.calls); n += 1) {
      const call = makeCall(customers, n, { idOf, newUlid });
      for (const [table, row] of Object.entries(call.rows) as [Table, Row][]) {
        rows.set(table, [...(rows.get(table) ?? []), row]);
      }
      if (n === Math.floor(customers.calls / 2)) callId = call.id;
    }
    await insert(source, rows);
  }
  const middle = Math.floor(customers.accounts / 2);
  return {
    ...{ accountId: idOf('acct', middle), keyId: idOf('key', middle), purchaseId: idOf('pur', middle) },
    ...{ sessionId: `cs_${middle}`, callId },
  };
}

function makeAccount({ accounts, fromMs, toMs }: Customers, n: number, idOf: (kind: string, n: number) => string) {
  const [accountId, atMs] = [idOf('acct', n), Math.floor(fromMs + ((toMs - fromMs) * n) / accounts)];
  const email = `customer-${n}@mail-${n % 50}.test`;
  const state = n % 100 === 0 ? 'given_up' : 'sent';
  const [id, credits] = [idOf('pur', n), granted];
  return {
    account: [accountId, email, email, `Customer ${n}`, 'x', 0, atMs],
    api_key: [idOf('key', n), accountId, 'Key', idOf('hash', n), `sk-tg-${n}…${n % 97}`, atMs, 'chat', 0],
    ledger_account: [accountId, 'wallet', 'open', granted, 0, 0, 0, 1],
    purchase: [id, accountId, 'stripe', `cs_${n}`, 500, 'usd', credits, 'paid', atMs, atMs],
    notice: [idOf('note', n), `told-${n}`, accountId, 'email', email, 'Told', 'body', state, 1, atMs, atMs],
    operator_event: [idOf('oper', n), atMs, 'somebody', 'freeze', accountId, 'a reason'],
    stripe_event: [`evt_${n}`, 'charge', n % 1_000 === 0 ? 'quarantined' : 'processed', null, atMs, atMs],
    ledger_transfer: [accountId, 1, `${id}:g`, 'purchase', 'sys:sales', accountId, credits, credits, credits, atMs],
  } satisfies Partial<Record<Table, Row>>;
}

function makeCall(
  { accounts, calls, fromMs, toMs }: Customers,
  n: number,
  { idOf, newUlid }: { idOf: (kind: string, n: number) => string; newUlid: (ms: number) => string },
) {
  const owner = n % accounts;
  const [accountId, keyId] = [idOf('acct', owner), idOf('key', owner)];
  const atMs = Math.floor(fromMs + ((toMs - fromMs) * n) / calls);
  const id = `call_${newUlid(atMs)}`;
  const [model, provider] = [models[n % 3] as string, providers[n % 3] as string];
  const tokens = [3, n % 100] as const;
  const [cost, left] = [tokens[0] + tokens[1], granted - n];
  const sides = [accountId, 'sys:usage'] as const;
  const rows = {
    call_record: [
      ...[id, accountId, keyId, model, provider, 'lower', 1, 0, 'completed', 'reported', ...tokens, 1_000, cost],
      ...[0, atMs, 500],
    ],
    usage_hour: [accountId, atMs - (atMs % hourMs), keyId, model, provider, 1, 0, ...tokens, cost, 0],
    ledger_transfer: [accountId, 2 + Math.floor(n / accounts), `${id}:r`, 'settled', ...sides, cost, left, left, atMs],
  } satisfies Partial<Record<Table, Row>>;
  return { id, rows };
}

async function insert(source: DataSource, rows: ReadonlyMap<Table, readonly Row[]>): Promise<void> {
  await source.transaction(async (transaction) => {
    for (const [table, some] of rows) {
      const values = some.map((row) => `(${row.map(show).join(', ')})`);
      await transaction.query(`INSERT INTO ${table} (${columns[table]}) VALUES ${values.join(', ')}`);
    }
  });
  await nextTurn();
}

// Nothing here comes from outside, so quoting is all there is to do.
function show(value: Row[number]): string {
  return typeof value === 'string' ? `'${value}'` : String(value ?? 'NULL');
}
