import type { DatabaseAddress } from '../../database/database-address.js';
import {
  canBeNarrowed,
  invariants,
  type LedgerQueries,
  type LedgerRow,
  liveInvariants,
  type StatementScope,
  toStatement,
  warnings,
} from './check-ledger.js';
import { type LedgerSnapshot, openLedgerSnapshot, openLedgerSnapshots } from './ledger-snapshot.js';

/** Everything, or the few statements that can be asked every minute, about these wallets. */
export type VerificationScope = 'everything' | { readonly wallets: readonly string[] };

/** What one statement found. */
export interface Finding {
  readonly sentence: string;
  readonly verdict: 'ok' | 'broken' | 'warning';
  /** Asked of the whole ledger, and not only of the wallets of the scope. */
  readonly isAboutAll: boolean;
  /** How many rows break it; at `rowsCountedMax` nobody counted further. */
  readonly rowCount: number;
  /** The first ten of them. */
  readonly rows: readonly LedgerRow[];
  /** The wallets among them. */
  readonly wallets: readonly string[];
  readonly durationMs: number;
}

export interface LedgerReport {
  readonly findings: readonly Finding[];
  readonly durationMs: number;
  /** Table -> its number of rows; empty unless everything was verified. */
  readonly rowCounts: Readonly<Record<string, number>>;
}

/** Of one statement. A ledger with more broken rows than this has one fault, not a thousand. */
export const rowsCountedMax = 1_000;

/** Keeps a statement short enough for both databases. */
const walletsPerStatementMax = 500;
const rowsShownMax = 10;
const countedTables = [
  'ledger_account',
  'ledger_transfer',
  'ledger_hold',
  'wallet_lease',
  'call_record',
  'sealed_month',
] as const;

/**
 * Asks every invariant in one snapshot of a database that may be in use, on connections of its own, and changes nothing.
 * @param signal Gives up after the statement under way.
 * @throws the driver's error when it could not look: then nothing is known.
 */
export async function verifyLedger(
  address: DatabaseAddress,
  scope: VerificationScope = 'everything',
  signal?: AbortSignal,
): Promise<LedgerReport> {
  const startedMs = performance.now();
  const isEverything = scope === 'everything';
  const snapshots = isEverything ? await openLedgerSnapshots(address) : [await openLedgerSnapshot(address)];
  try {
    const findings = await askAll(snapshots, scope, signal);
    const rowCounts = isEverything && snapshots[0] ? await countRows(snapshots[0]) : {};
    return { findings, durationMs: performance.now() - startedMs, rowCounts };
  } finally {
    await Promise.all(snapshots.map((snapshot) => snapshot.close()));
  }
}

// Each snapshot takes the next statement as soon as it is done with its last one.
async function askAll(
  snapshots: readonly LedgerSnapshot[],
  scope: VerificationScope,
  signal: AbortSignal | undefined,
): Promise<Finding[]> {
  const statements = listStatements(scope);
  const findings: Finding[] = new Array(statements.length);
  const waiting = statements.entries();
  const takeTurns = async (snapshot: LedgerSnapshot) => {
    for (const [index, statement] of waiting) {
      signal?.throwIfAborted();
      const scopes = scope === 'everything' || !canBeNarrowed(statement.sql) ? [{}] : splitWallets(scope.wallets);
      findings[index] = await ask(snapshot, statement, { scopes, nowMs: snapshot.nowMs });
    }
  };
  await settleAll(snapshots.map(takeTurns));
  return findings;
}

// A connection must not be closed under the question of another one that failed.
async function settleAll(turns: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(turns);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** The sentences that are broken. */
export function listBroken(report: LedgerReport): Finding[] {
  return report.findings.filter(({ verdict }) => verdict === 'broken');
}

interface Statement {
  readonly sentence: string;
  readonly sql: string;
  /** What it means when rows are found. */
  readonly verdict: 'broken' | 'warning';
}

function listStatements(scope: VerificationScope): Statement[] {
  const isWanted = ({ sql }: Statement) => scope === 'everything' || canBeNarrowed(sql);
  return [
    ...toStatements(invariants, 'broken').filter(isWanted),
    ...toStatements(liveInvariants, 'broken'),
    ...(scope === 'everything' ? toStatements(warnings, 'warning') : []),
  ];
}

function toStatements(record: Readonly<Record<string, string>>, verdict: Statement['verdict']): Statement[] {
  return Object.entries(record).map(([sentence, sql]) => ({ sentence, sql, verdict }));
}

function splitWallets(wallets: readonly string[]): StatementScope[] {
  const groupCount = Math.ceil(wallets.length / walletsPerStatementMax);
  return Array.from({ length: groupCount }, (_, group) => ({
    wallets: wallets.slice(group * walletsPerStatementMax, (group + 1) * walletsPerStatementMax),
  }));
}

async function ask(
  snapshot: LedgerQueries,
  { sentence, sql, verdict }: Statement,
  { scopes, nowMs }: { scopes: readonly StatementScope[]; nowMs: number },
): Promise<Finding> {
  const startedMs = performance.now();
  const rows: LedgerRow[] = [];
  for (const scope of scopes) {
    if (rows.length >= rowsCountedMax) break;
    rows.push(...(await snapshot.query(`${toStatement(sql, { ...scope, nowMs })} LIMIT ${rowsCountedMax}`)));
  }
  return {
    sentence,
    verdict: rows.length === 0 ? 'ok' : verdict,
    isAboutAll: scopes[0] !== undefined && scopes[0].wallets === undefined,
    rowCount: Math.min(rows.length, rowsCountedMax),
    rows: rows.slice(0, rowsShownMax),
    wallets: [...new Set(rows.flatMap(({ wallet }) => (typeof wallet === 'string' ? [wallet] : [])))],
    durationMs: performance.now() - startedMs,
  };
}

async function countRows(snapshot: LedgerQueries): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of countedTables) {
    const [row] = await snapshot.query(`SELECT COUNT(*) AS row_count FROM ${table}`);
    counts[table] = Number(row?.row_count);
  }
  return counts;
}
