import { assertInvariant } from '../../kernel/assert.js';
import { sealedInvariants } from './sealed-invariants.js';
import { journalInvariants, totalsInvariants } from './sums-invariants.js';

/** One broken promise: which, and up to ten of the rows that break it. */
export interface LedgerViolation {
  readonly invariant: string;
  readonly rows: readonly LedgerRow[];
}

export type LedgerRow = Readonly<Record<string, unknown>>;

/** Where the statements are put: an EntityManager, or a connection of their own inside one consistent snapshot. */
export interface LedgerQueries {
  query(sql: string): Promise<LedgerRow[]>;
}

// What each call was charged beyond its hold or its lease, and whether it came too late for either: then that is all, as with a lease that
// the database has lost with its last commits. CAST keeps MySQL from grouping by way of an index that holds no amounts.
const beyondHolds = `
      SELECT CAST(hold_id AS CHAR) AS hold_id, SUM(CASE WHEN type = 'absorbed' THEN 0 ELSE amount END) AS charged,
        SUM(CASE WHEN type = 'absorbed' THEN amount ELSE 0 END) AS absorbed, MAX(type = 'late') AS late
      FROM ledger_transfer WHERE type IN ('overage', 'late', 'absorbed') GROUP BY CAST(hold_id AS CHAR)`;

/**
 * What must hold at every moment. Each statement returns the rows that break it, on SQLite and MySQL alike, and calls the
 * wallet that is wrong, if it can tell, `wallet`: the server freezes it. Where `:among(column)` stands, the statement can be
 * narrowed to some wallets; such statements are the ones that are cheap enough to run every minute.
 */
export const invariants: Readonly<Record<string, string>> = {
  'a wallet counts what its journal says, and the journal has no gaps': `
    SELECT a.id AS wallet FROM ledger_account a LEFT JOIN (
      SELECT wallet, SUM(CASE WHEN credit_account = wallet THEN amount ELSE 0 END) AS credits,
        SUM(CASE WHEN debit_account = wallet AND type <> 'hold' THEN amount ELSE 0 END) AS debits,
        MIN(wallet_seq) AS first_seq, MAX(wallet_seq) AS last_seq, COUNT(*) AS journal_rows
      FROM ledger_transfer WHERE :among(wallet) GROUP BY wallet) j ON j.wallet = a.id
    WHERE :among(a.id) AND a.kind = 'wallet'
      AND (a.credits_posted <> COALESCE(j.credits, 0) OR a.debits_posted <> COALESCE(j.debits, 0)
        OR a.seq <> COALESCE(j.last_seq, 0) OR COALESCE(j.journal_rows, 0) <> COALESCE(j.last_seq, 0)
        OR COALESCE(j.first_seq, 1) <> 1)`,
  'what is pending is the sum of the open holds': `
    SELECT a.id AS wallet FROM ledger_account a LEFT JOIN (
      SELECT wallet, SUM(amount) AS held FROM ledger_hold
      WHERE state = 'open' AND :among(wallet) GROUP BY wallet) h ON h.wallet = a.id
    WHERE :among(a.id) AND a.kind = 'wallet' AND a.debits_pending <> COALESCE(h.held, 0)`,
  'no wallet is overspent': `
    SELECT id AS wallet FROM ledger_account
    WHERE :among(id) AND kind = 'wallet' AND credits_posted - debits_posted - debits_pending < -debt`,
  'a debt is no larger than what is missing': `
    SELECT id AS wallet FROM ledger_account WHERE :among(id) AND kind = 'wallet' AND debt > 0
      AND debt > -(credits_posted - debits_posted - debits_pending)`,
  'no hold was granted below zero, and no usage took a wallet there': `
    SELECT t.wallet, t.id FROM ledger_transfer t
    LEFT JOIN ledger_transfer p ON p.wallet = t.wallet AND p.wallet_seq = t.wallet_seq - 1
    WHERE t.available_after < 0 AND (t.type = 'hold'
      OR (t.type IN ('settled', 'overage', 'absorbed', 'released', 'expired', 'late')
        AND t.available_after < COALESCE(p.available_after, 0)))`,
  // Each journal row is compared with its hold below; where there are as many of both, none is left over. Counting first
  // saves a look at every hold.
  'each hold stands in the journal, with one resolution once it is resolved': `
    SELECT h.wallet, h.id FROM ledger_hold h
    LEFT JOIN ledger_transfer placed ON placed.id = h.id
    LEFT JOIN ledger_transfer resolved ON resolved.resolves = h.id
    WHERE EXISTS (SELECT 1 FROM
        (SELECT COUNT(*) AS placed, COALESCE(SUM(state <> 'open'), 0) AS resolved FROM ledger_hold) holds,
        (SELECT COALESCE(SUM(type = 'hold'), 0) AS placed, COUNT(resolves) AS resolved FROM ledger_transfer) journal
      WHERE holds.placed <> journal.placed OR holds.resolved <> journal.resolved)
      AND (placed.id IS NULL OR (h.state = 'open') <> (resolved.resolves IS NULL))`,
  'each journal row continues the balances before it and agrees with its hold': `
    SELECT t.wallet, t.id FROM ledger_transfer t
    LEFT JOIN ledger_transfer p ON p.wallet = t.wallet AND p.wallet_seq = t.wallet_seq - 1
    LEFT JOIN ledger_hold h ON h.id = t.hold_id
    WHERE :among(t.wallet) AND (
      t.posted_after <> COALESCE(p.posted_after, 0) + CASE WHEN t.credit_account = t.wallet THEN t.amount
        WHEN t.debit_account = t.wallet AND t.type <> 'hold' THEN -t.amount ELSE 0 END
      OR t.available_after <> COALESCE(p.available_after, 0)
        + CASE WHEN t.resolves IS NULL THEN 0 ELSE COALESCE(h.amount, 0) END
        + CASE WHEN t.credit_account = t.wallet THEN t.amount WHEN t.debit_account = t.wallet THEN -t.amount ELSE 0 END
      OR (t.type = 'hold' AND (h.id IS NULL OR h.id <> t.id OR h.amount <> t.amount OR h.wallet <> t.wallet))
      OR (t.resolves IS NOT NULL AND (h.id IS NULL OR h.id <> t.resolves OR h.wallet <> t.wallet
        OR h.state <> t.type OR h.posted <> t.amount)))`,
  'the last journal row tells the balance': `
    SELECT a.id AS wallet FROM ledger_account a JOIN ledger_transfer t ON t.wallet = a.id AND t.wallet_seq = a.seq
    WHERE :among(a.id) AND a.kind = 'wallet' AND (t.posted_after <> a.credits_posted - a.debits_posted
      OR t.available_after <> a.credits_posted - a.debits_posted - a.debits_pending)`,
  'a journal row moves a sane amount between the accounts that its type names': `
    SELECT wallet, id FROM ledger_transfer
    WHERE amount < 0 OR amount > 9000000000000000 OR wallet_seq < 1
      OR (type IN ('settled', 'released', 'expired')) <> (resolves IS NOT NULL)
      OR NOT CASE
        WHEN type IN ('hold', 'settled', 'overage', 'released', 'expired', 'late')
          THEN debit_account = wallet AND credit_account = 'sys:usage'
        WHEN type = 'absorbed' THEN debit_account = 'sys:absorbed' AND credit_account = 'sys:usage'
        WHEN type = 'purchase'
          THEN debit_account = 'sys:sales' AND credit_account = wallet AND id LIKE 'purchase:%'
        WHEN type = 'grant' THEN debit_account = 'sys:grants' AND credit_account = wallet
        WHEN type = 'refund' THEN debit_account = wallet AND credit_account = 'sys:refunds'
        WHEN type = 'dispute' THEN debit_account = wallet AND credit_account = 'sys:disputes'
        WHEN type = 'dispute_reversal' THEN debit_account = 'sys:disputes' AND credit_account = wallet
        WHEN type = 'adjustment' THEN (debit_account = 'sys:adjustments' AND credit_account = wallet)
          OR (debit_account = wallet AND credit_account = 'sys:adjustments')
        ELSE FALSE END`,
  'each journal belongs to a wallet, and only wallets have counters': `
    SELECT t.wallet FROM (SELECT DISTINCT wallet FROM ledger_transfer) t
    LEFT JOIN ledger_account a ON a.id = t.wallet AND a.kind = 'wallet' WHERE a.id IS NULL
    UNION ALL
    SELECT id FROM ledger_account WHERE kind <> 'wallet'
      AND (credits_posted <> 0 OR debits_posted <> 0 OR debits_pending <> 0 OR debt <> 0 OR seq <> 0)`,
  'credits in minus credits out is what the wallets hold': `
    SELECT issued, owned FROM (SELECT
      (SELECT COALESCE(SUM(CASE WHEN credit_account = wallet THEN amount
        WHEN debit_account = wallet AND type <> 'hold' THEN -amount ELSE 0 END), 0) FROM ledger_transfer) AS issued,
      (SELECT COALESCE(SUM(credits_posted - debits_posted), 0) FROM ledger_account WHERE kind = 'wallet') AS owned
    ) totals WHERE issued <> owned`,
  'a paid purchase was granted once, in full, to its account': `
    SELECT p.account_id AS wallet, p.id FROM purchase p LEFT JOIN ledger_transfer t ON t.id = CONCAT('purchase:', p.id)
    WHERE (p.status = 'paid' AND (t.id IS NULL OR t.type <> 'purchase' OR t.amount <> p.credits_millicredits
        OR t.wallet <> p.account_id))
      OR (p.status <> 'paid' AND t.id IS NOT NULL)`,
  'no purchase was granted without being paid': `
    SELECT t.wallet, t.id FROM ledger_transfer t LEFT JOIN purchase p ON p.id = SUBSTR(t.id, 10) AND p.status = 'paid'
    WHERE t.id LIKE 'purchase:%' AND p.id IS NULL`,
  'refunds and disputes never take more of a purchase than it brought': `
    SELECT p.account_id AS wallet, p.id FROM purchase p JOIN (
      SELECT SUBSTR(id, INSTR(id, ':') + 1, 30) AS purchase_id,
        SUM(CASE WHEN credit_account = wallet THEN -amount ELSE amount END) AS undone
      FROM ledger_transfer WHERE id LIKE 'refund:pur_%' OR id LIKE 'dispute:pur_%' GROUP BY 1) u ON u.purchase_id = p.id
    WHERE p.status <> 'paid' OR u.undone < 0 OR u.undone > p.credits_millicredits`,
  'what is undone of a purchase stands in the journal, refunds as the exact share of the money': `
    SELECT p.account_id AS wallet, p.id FROM purchase p
    LEFT JOIN purchase_reversal r ON r.purchase_id = p.id
    LEFT JOIN (
      SELECT SUBSTR(id, 8, 30) AS purchase_id,
        SUM(CASE WHEN credit_account = wallet THEN -amount ELSE amount END) AS undone
      FROM ledger_transfer WHERE id LIKE 'refund:pur_%' GROUP BY 1) f ON f.purchase_id = p.id
    LEFT JOIN (
      SELECT SUBSTR(id, 9, 30) AS purchase_id,
        SUM(CASE WHEN credit_account = wallet THEN -amount ELSE amount END) AS undone
      FROM ledger_transfer WHERE id LIKE 'dispute:pur_%' GROUP BY 1) d ON d.purchase_id = p.id
    WHERE COALESCE(f.undone, 0) <> COALESCE(r.refunded_millicredits, 0)
      OR COALESCE(d.undone, 0) <> COALESCE(r.disputed_millicredits, 0)
      OR r.refunded_millicredits * p.amount_cents > p.credits_millicredits * r.refunded_cents
      OR (r.refunded_millicredits + 1) * p.amount_cents <= p.credits_millicredits * r.refunded_cents`,
  'a receipt says what its hold reserved and what was charged': `
    SELECT c.account_id AS wallet, c.call_id FROM call_record c
    LEFT JOIN ledger_hold h ON h.id = c.call_id
    LEFT JOIN (${beyondHolds}) beyond ON beyond.hold_id = c.call_id
    WHERE c.lease IS NULL AND (h.id IS NULL OR h.state = 'open' OR h.wallet <> c.account_id OR h.key_id <> c.key_id
      OR h.amount <> c.held_millicredits OR h.millicredits_per_token <> c.millicredits_per_token
      OR COALESCE(h.price_multiplier, 1000) <> COALESCE(c.price_multiplier, 1000)
      OR c.charged_millicredits <> h.posted + COALESCE(beyond.charged, 0)
      OR c.absorbed_millicredits <> COALESCE(beyond.absorbed, 0))`,
  'a receipt against a lease has no hold, and takes no more of the lease than was reserved': `
    SELECT c.account_id AS wallet, c.call_id FROM call_record c
    LEFT JOIN wallet_lease l ON l.id = c.lease
    LEFT JOIN ledger_hold h ON h.id = c.call_id
    LEFT JOIN (${beyondHolds}) beyond ON beyond.hold_id = c.call_id
    WHERE c.lease IS NOT NULL AND (l.wallet <> c.account_id OR h.id IS NOT NULL
      OR (l.id IS NULL AND c.charged_millicredits <> COALESCE(beyond.charged, 0))
      OR c.charged_millicredits - COALESCE(beyond.charged, 0) < 0
      OR c.charged_millicredits - COALESCE(beyond.charged, 0) > c.held_millicredits
      OR c.absorbed_millicredits <> COALESCE(beyond.absorbed, 0))`,
  'what is spent of a lease is what its receipts were charged out of it': `
    SELECT l.wallet, l.id FROM wallet_lease l LEFT JOIN (
      SELECT c.lease, SUM(c.charged_millicredits - COALESCE(beyond.charged, 0)) AS spent,
        SUM(1 - COALESCE(beyond.late, 0)) AS calls
      FROM call_record c LEFT JOIN (${beyondHolds}) beyond ON beyond.hold_id = c.call_id
      WHERE c.lease IS NOT NULL GROUP BY c.lease) r ON r.lease = l.id
    WHERE l.spent <> COALESCE(r.spent, 0) + COALESCE(l.sealed_spent, 0)
      OR l.calls <> COALESCE(r.calls, 0) + COALESCE(l.sealed_calls, 0)`,
  'a lease is a hold of the same wallet and amount, and was booked at what was spent when it ended': `
    SELECT l.wallet, l.id FROM wallet_lease l LEFT JOIN ledger_hold h ON h.id = l.id
    WHERE :among(l.wallet) AND (h.id IS NULL OR h.key_id <> 'lease' OR h.wallet <> l.wallet OR h.amount <> l.amount
      OR (h.state = 'open') <> (l.state <> 'ended') OR (h.state <> 'open' AND h.posted <> l.spent)
      OR l.spent < 0 OR l.spent > l.amount)`,
  'each hold of a lease has its lease': `
    SELECT h.wallet, h.id FROM ledger_hold h LEFT JOIN wallet_lease l ON l.id = h.id
    WHERE h.key_id = 'lease' AND l.id IS NULL`,
  'a receipt is tokens times price, and the multiplier of its account rounded up once': `
    SELECT account_id AS wallet, call_id FROM call_record
    WHERE CASE WHEN price_multiplier IS NULL
      THEN charged_millicredits + absorbed_millicredits <> (prompt_tokens + completion_tokens) * millicredits_per_token
      ELSE price_multiplier NOT BETWEEN 1 AND 100000
        OR (charged_millicredits + absorbed_millicredits) * 1000
          - (prompt_tokens + completion_tokens) * millicredits_per_token * price_multiplier NOT BETWEEN 0 AND 999 END`,
  'what a limited key has spent and reserved in a period is what its calls of that time were charged and hold': `
    SELECT s.wallet, s.key_id, s.period FROM key_spend s WHERE :among(s.wallet) AND (
      s.spent_millicredits <> (SELECT COALESCE(SUM(u.charged_millicredits), 0) FROM usage_hour u
        WHERE u.account_id = s.wallet AND u.hour_ms >= s.starts_at_ms AND u.hour_ms < s.ends_at_ms
          AND u.key_id = s.key_id)
      OR s.pending_millicredits <> (SELECT COALESCE(SUM(h.amount), 0) FROM ledger_hold h
        WHERE h.wallet = s.wallet AND h.state = 'open' AND h.key_id = s.key_id
          AND h.started_at_ms >= s.starts_at_ms AND h.started_at_ms < s.ends_at_ms)
        + (SELECT COALESCE(SUM(l.amount - l.spent), 0) FROM wallet_lease l WHERE l.wallet = s.wallet
          AND l.state IN ('open', 'recalled', 'draining') AND l.key_id = s.key_id AND l.spend_period = s.period))`,
  'a lease for a limited key lets in its calls alone': `
    SELECT c.account_id AS wallet, c.call_id FROM wallet_lease l JOIN call_record c ON c.lease = l.id
    WHERE l.key_id <> c.key_id
    UNION ALL
    SELECT wallet, id FROM wallet_lease WHERE (key_id IS NULL) <> (spend_period IS NULL)`,
  'no key is above its spend limit by more than was permitted, and no more is permitted than is missing': `
    SELECT s.wallet, s.key_id, s.period FROM key_spend s
    WHERE :among(s.wallet) AND s.excess_millicredits <> CASE
      WHEN s.spent_millicredits + s.pending_millicredits > s.limit_millicredits
        THEN s.spent_millicredits + s.pending_millicredits - s.limit_millicredits ELSE 0 END`,
  'each hold of a limited key that can still be charged counts in its period': `
    SELECT h.wallet, h.id FROM key_spend s JOIN ledger_hold h ON h.wallet = s.wallet AND h.key_id = s.key_id
      AND h.started_at_ms >= s.starts_at_ms AND h.started_at_ms < s.ends_at_ms
    WHERE :among(s.wallet) AND h.state IN ('open', 'expired') AND (h.spend_period IS NULL OR h.spend_period <> s.period)`,
  'each charged call has a receipt, unless it is of a sealed month': `
    SELECT h.wallet, h.id FROM ledger_hold h LEFT JOIN call_record c ON c.call_id = h.id
    WHERE h.state IN ('settled', 'expired') AND h.key_id <> 'lease' AND c.call_id IS NULL
      AND NOT EXISTS (SELECT 1 FROM sealed_month m WHERE m.account_id = h.wallet
        AND h.started_at_ms >= m.month_ms AND h.started_at_ms < m.month_end_ms)`,
  'the hours of use sum to the receipts, with those of sealed months': `
    SELECT c.account_id FROM (
      SELECT account_id, SUM(calls) AS calls, SUM(prompt) AS prompt, SUM(completion) AS completion,
        SUM(charged) AS charged, SUM(absorbed) AS absorbed
      FROM (
        SELECT account_id, COUNT(*) AS calls, SUM(prompt_tokens) AS prompt, SUM(completion_tokens) AS completion,
          SUM(charged_millicredits) AS charged, SUM(absorbed_millicredits) AS absorbed
        FROM call_record GROUP BY account_id
        UNION ALL
        SELECT account_id, calls, prompt_tokens, completion_tokens, charged_millicredits, absorbed_millicredits
        FROM sealed_month) both_kinds
      GROUP BY account_id) c
    LEFT JOIN (
      SELECT account_id, SUM(calls) AS calls, SUM(prompt_tokens) AS prompt, SUM(completion_tokens) AS completion,
        SUM(charged_millicredits) AS charged, SUM(absorbed_millicredits) AS absorbed
      FROM usage_hour GROUP BY account_id) h ON h.account_id = c.account_id
    WHERE h.account_id IS NULL OR h.calls <> c.calls OR h.prompt <> c.prompt OR h.completion <> c.completion
      OR h.charged <> c.charged OR h.absorbed <> c.absorbed`,
  ...sealedInvariants,
  ...{ ...journalInvariants, ...totalsInvariants },
  'an account was given its sign-up credits once': `
    SELECT wallet FROM ledger_transfer WHERE type = 'grant' AND id LIKE 'grant:signup:%'
    GROUP BY wallet HAVING COUNT(*) > 1`,
  'a claimed gift code was granted once, in full, to who claimed it': `
    SELECT g.claimed_by AS wallet, g.id FROM gift_code g
    LEFT JOIN ledger_transfer t ON t.id = CONCAT('grant:gift:', g.id)
    WHERE (g.claimed_by IS NULL) <> (t.id IS NULL)
      OR (t.id IS NOT NULL AND (t.type <> 'grant' OR t.amount <> g.credits_millicredits OR t.wallet <> g.claimed_by))`,
  'no gift was granted without its code': `
    SELECT t.wallet, t.id FROM ledger_transfer t LEFT JOIN gift_code g ON g.id = SUBSTR(t.id, 12)
    WHERE t.id LIKE 'grant:gift:%' AND g.id IS NULL`,
  'an automatic top-up is a purchase of its account and amount, and has its place only while it is under way': `
    SELECT c.account_id AS wallet, c.purchase_id FROM auto_top_up_charge c JOIN purchase p ON p.id = c.purchase_id
    WHERE p.account_id <> c.account_id OR p.amount_cents <> c.amount_cents
      OR (c.state = 'open') <> (c.open_for IS NOT NULL) OR COALESCE(c.open_for, c.account_id) <> c.account_id
      OR (c.state = 'paid' AND p.status <> 'paid')`,
};

/** What also holds while servers run, whatever else they do. `:now` is the database's clock. */
export const liveInvariants: Readonly<Record<string, string>> = {
  // A lease is swept 30 seconds after its end; the rest is for the sweeper's round and its backlog.
  'no hold outlives its lease by two minutes': `
    SELECT id FROM ledger_hold WHERE state = 'open' AND lease_until_ms < :now - 120000`,
};

/** What the books permit and the operator had better know. */
export const warnings: Readonly<Record<string, string>> = {
  'the operator absorbed what neither hold nor balance covered': `
    SELECT call_id, absorbed_millicredits FROM call_record WHERE absorbed_millicredits > 0`,
};

/**
 * Recomputes the books and compares. An empty answer means that they are right. Give it a transaction with a consistent
 * snapshot, or a database at rest: between two of its statements the money may move.
 */
export async function findLedgerViolations(snapshot: LedgerQueries): Promise<LedgerViolation[]> {
  const violations: LedgerViolation[] = [];
  for (const [invariant, sql] of Object.entries(invariants)) {
    const rows = await snapshot.query(`${toStatement(sql)} LIMIT 10`);
    if (rows.length > 0) violations.push({ invariant, rows });
  }
  return violations;
}

export interface StatementScope {
  /** All wallets, unless some are named. */
  readonly wallets?: readonly string[];
  readonly nowMs?: number;
}

/** Fills in what a statement leaves open. Ids are letters, digits, `_`, `-` and `:`, so they need no escaping. */
export function toStatement(sql: string, { wallets, nowMs = 0 }: StatementScope = {}): string {
  assertInvariant(
    (wallets ?? []).every((id) => /^[\w:-]{1,40}$/.test(id)),
    'a wallet’s id has no odd characters',
  );
  const list = wallets?.map((id) => `'${id}'`).join(', ');
  return sql
    .replaceAll(/:among\(([\w.]+)\)/g, (_, column) => (list === undefined ? '1 = 1' : `${column} IN (${list})`))
    .replaceAll(':now', String(nowMs));
}

/** Whether a statement can be narrowed to some wallets. */
export function canBeNarrowed(sql: string): boolean {
  return sql.includes(':among(');
}
