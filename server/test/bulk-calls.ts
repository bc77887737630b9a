import { setImmediate } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { monotonicFactory } from 'ulid';

/** Many finished calls of one account, spread evenly over a time. */
export interface BulkCalls {
  readonly accountId: string;
  readonly keyId: string;
  readonly count: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** All of them asked for this model; left out: three models take turns. */
  readonly model?: string;
  /** So many tags and end users take turns; left out: no call has any. */
  readonly marks?: { readonly tags: number; readonly endUsers: number };
  /** Without it only the receipts and their sums are written, which is quicker, and the books do not add up. */
  readonly hasJournal: boolean;
}

const models = ['gpt-4o-mini', 'demo-small', 'claude-haiku'] as const;
const providers = ['openai', 'demo', 'anthropic'] as const;
const callsPerInsert = 1_000;
const failedEvery = 50;
const hourMs = 3_600_000;

type Row = readonly (string | number | null)[];

/**
 * Writes finished calls straight into the tables, as the ledger would have: a hundred thousand in seconds. Every fiftieth
 * failed and is free; the others used 3 tokens and some more at 1 millicredit each. The wallet must have the credits.
 * @returns what all of them cost, in millicredits.
 */
export async function insertBulkCalls(source: DataSource, calls: BulkCalls): Promise<number> {
  const wallet = await readWallet(source, calls.accountId);
  // The library would ask the system for each character of an id.
  const newUlid = monotonicFactory(Math.random);
  const hours = new Map<string, { row: Row; calls: number; failed: number; prompt: number; completion: number }>();
  const held = 1_000;
  let { posted, seq } = wallet;
  for (let start = 0; start < calls.count; start += callsPerInsert) {
    const rows = { records: [] as Row[], holds: [] as Row[], transfers: [] as Row[] };
    for (let n = start; n < Math.min(start + callsPerInsert, calls.count); n += 1) {
      const call = makeCall(calls, n, newUlid);
      const { id, cost, startedAtMs } = call;
      rows.records.push(call.record);
      const hour = hours.get(call.hourName) ?? { row: call.hourRow, calls: 0, failed: 0, prompt: 0, completion: 0 };
      hours.set(call.hourName, hour);
      hour.calls += 1;
      hour.failed += cost === 0 ? 1 : 0;
      hour.prompt += call.prompt;
      hour.completion += call.completion;
      const state = cost === 0 ? 'released' : 'settled';
      const { accountId, keyId } = calls;
      rows.holds.push([id, accountId, keyId, held, state, cost, 0, 0, 0, 'bulk', 'm', 'p', 'lower', 1, 0, startedAtMs]);
      const sides = [accountId, 'sys:usage'] as const;
      rows.transfers.push(
        [accountId, seq + 1, id, 'hold', ...sides, held, posted - held, posted, id, null, startedAtMs],
        [accountId, seq + 2, `${id}:r`, state, ...sides, cost, posted - cost, posted - cost, id, id, startedAtMs],
      );
      posted -= cost;
      seq += 2;
    }
    await source.transaction(async (transaction) => {
      await transaction.query(toInsert('call_record', rows.records, calls.marks && ', tag, end_user'));
      if (!calls.hasJournal) return;
      await transaction.query(toInsert('ledger_hold', rows.holds));
      await transaction.query(toInsert('ledger_transfer', rows.transfers));
    });
    // SQLite answers at once, so without a turn of the loop a server in this process would not hear of its connections.
    await setImmediate();
  }
  const sums = [...hours.values()].map(({ row, calls: count, failed, prompt, completion }) => [
    ...row,
    ...[count, failed, prompt, completion, prompt + completion, 0],
  ]);
  await source.query(toInsert('usage_hour', sums));
  const cost = wallet.posted - posted;
  if (calls.hasJournal) {
    await source.query(
      `UPDATE ledger_account SET debits_posted = debits_posted + ${cost}, seq = ${seq} WHERE id = '${calls.accountId}'`,
    );
  }
  return cost;
}

function makeCall(calls: BulkCalls, n: number, newUlid: (ms: number) => string) {
  const { accountId, keyId, count, fromMs, toMs } = calls;
  const startedAtMs = Math.floor(fromMs + ((toMs - fromMs) * n) / count);
  const id = `call_${newUlid(startedAtMs)}`;
  const isFailed = n % failedEvery === 0;
  const prompt = isFailed ? 0 : 3;
  const completion = isFailed ? 0 : n % 100;
  const cost = prompt + completion;
  const model = calls.model ?? (models[n % 3] as string);
  const provider = providers[n % 3] as string;
  const outcome = isFailed ? 'failed' : 'completed';
  const facts = [id, accountId, keyId, model, provider, 'lower', 1, n % 2, outcome, null, 'stop'];
  const figures = [cost === 0 ? 'none' : 'reported', prompt, completion, 1_000, cost, 0];
  const times = [startedAtMs, 100 + (n % 400), 500 + (n % 1_000)];
  const record: Row = [...facts, ...figures, ...times, ...toMarks(calls, n)];
  const hour = startedAtMs - (startedAtMs % hourMs);
  const hourRow: Row = [accountId, hour, keyId, model, provider];
  return { id, startedAtMs, prompt, completion, cost, record, hourRow, hourName: hourRow.join(' ') };
}

// Not in step with the models, so that each model has each of them. Databases of the first releases have no columns for them.
function toMarks({ marks }: BulkCalls, n: number): Row {
  if (marks === undefined) return [];
  return [`tag-${Math.floor(n / 3) % marks.tags}`, `user-${Math.floor(n / 7) % marks.endUsers}`];
}

async function readWallet(source: DataSource, accountId: string): Promise<{ posted: number; seq: number }> {
  const [row] = await source.query(
    `SELECT credits_posted - debits_posted AS posted, seq FROM ledger_account WHERE id = '${accountId}'`,
  );
  return { posted: Number(row.posted), seq: Number(row.seq) };
}

const columns = {
  call_record:
    'call_id, account_id, key_id, model, provider, tier, millicredits_per_token, is_streamed, outcome, error_code, finish_reason, usage_source, prompt_tokens, completion_tokens, held_millicredits, charged_millicredits, absorbed_millicredits, started_at_ms, first_byte_ms, total_ms',
  ledger_hold:
    'id, wallet, key_id, amount, state, posted, progress_prompt_tokens, progress_completion_tokens, lease_until_ms, instance, model, provider, tier, millicredits_per_token, is_streamed, started_at_ms',
  ledger_transfer:
    'wallet, wallet_seq, id, type, debit_account, credit_account, amount, available_after, posted_after, hold_id, resolves, at_ms',
  usage_hour:
    'account_id, hour_ms, key_id, model, provider, calls, failed_calls, prompt_tokens, completion_tokens, charged_millicredits, absorbed_millicredits',
} as const;

// Nothing here comes from outside, so quoting is all there is to do.
function toInsert(table: keyof typeof columns, rows: readonly Row[], marks = ''): string {
  const show = (value: Row[number]) => (typeof value === 'string' ? `'${value}'` : String(value ?? 'NULL'));
  const values = rows.map((row) => `(${row.map(show).join(', ')})`);
  return `INSERT INTO ${table} (${columns[table]}${marks}) VALUES ${values.join(', ')}`;
}
