import type { DataSource } from 'typeorm';
import type { CallRecordEntity } from '../ledger/tables/call-record.entity.js';

type Row = Readonly<Record<string, unknown>>;

/** A receipt, by the names of what reports divide by; without a value is the empty text. */
export interface Receipt {
  readonly callId: string;
  readonly accountId: string;
  readonly model: string;
  readonly provider: string;
  readonly api_key: string;
  readonly tag: string;
  readonly end_user: string;
  readonly status: string;
  readonly startedAtMs: number;
  readonly prompt: number;
  readonly completion: number;
  readonly charged: number;
  readonly absorbed: number;
}

export interface JournalRow {
  readonly wallet: string;
  readonly atMs: number;
  /** What it adds to its wallet. */
  readonly effect: number;
}

/** All receipts that were ever written. @param removed Those that were taken out of the table. */
export async function readReceipts(
  source: Pick<DataSource, 'query'>,
  removed: Iterable<CallRecordEntity>,
): Promise<readonly Receipt[]> {
  const known = new Map<string, Receipt>();
  for (const receipt of removed) {
    known.set(receipt.callId, {
      ...{ callId: receipt.callId, accountId: receipt.accountId, model: receipt.model, provider: receipt.provider },
      ...{ api_key: receipt.keyId, tag: receipt.tag ?? '', end_user: receipt.endUser ?? '', status: receipt.outcome },
      ...{ startedAtMs: receipt.startedAtMs, prompt: receipt.promptTokens, completion: receipt.completionTokens },
      ...{ charged: receipt.chargedMillicredits, absorbed: receipt.absorbedMillicredits },
    });
  }
  const rows: readonly Row[] = await source.query(
    `SELECT call_id, account_id, model, provider, key_id, tag, end_user, outcome, started_at_ms, prompt_tokens,
       completion_tokens, charged_millicredits, absorbed_millicredits FROM call_record`,
  );
  for (const row of rows) {
    known.set(String(row.call_id), {
      ...{ callId: String(row.call_id), accountId: String(row.account_id) },
      ...{ model: String(row.model), provider: String(row.provider), api_key: String(row.key_id) },
      ...{ tag: String(row.tag ?? ''), end_user: String(row.end_user ?? ''), status: String(row.outcome) },
      ...{ startedAtMs: Number(row.started_at_ms), prompt: Number(row.prompt_tokens) },
      ...{ completion: Number(row.completion_tokens), charged: Number(row.charged_millicredits) },
      absorbed: Number(row.absorbed_millicredits),
    });
  }
  return [...known.values()];
}

/** All rows of the journal, in the order of each wallet. */
export async function readJournal(source: Pick<DataSource, 'query'>): Promise<readonly JournalRow[]> {
  const rows: readonly Row[] = await source.query(
    'SELECT wallet, type, debit_account, credit_account, amount, at_ms FROM ledger_transfer ORDER BY wallet, wallet_seq',
  );
  return rows.map((row) => {
    const isIn = row.credit_account === row.wallet && row.type !== 'released';
    const isOut = row.debit_account === row.wallet && row.type !== 'hold' && row.type !== 'released';
    const effect = isIn ? Number(row.amount) : isOut ? -Number(row.amount) : 0;
    return { wallet: String(row.wallet), atMs: Number(row.at_ms), effect };
  });
}
