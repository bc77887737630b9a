import type { EntityManager } from 'typeorm';

/** One broken promise: which, and up to ten of the rows that break it. */
export interface LedgerViolation {
  readonly invariant: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** What must hold at every moment. Each statement returns the rows that break it, on SQLite and MySQL alike. */
const invariants: Readonly<Record<string, string>> = {
  'a wallet counts exactly what its journal says': `
    SELECT a.id FROM ledger_account a LEFT JOIN (
      SELECT wallet, SUM(CASE WHEN credit_account = wallet THEN amount ELSE 0 END) AS credits,
        SUM(CASE WHEN debit_account = wallet AND type <> 'hold' THEN amount ELSE 0 END) AS debits
      FROM ledger_transfer GROUP BY wallet) j ON j.wallet = a.id
    WHERE a.kind = 'wallet' AND (a.credits_posted <> COALESCE(j.credits, 0) OR a.debits_posted <> COALESCE(j.debits, 0))`,
  'what is pending is the sum of the open holds': `
    SELECT a.id FROM ledger_account a LEFT JOIN (
      SELECT wallet, SUM(amount) AS held FROM ledger_hold WHERE state = 'open' GROUP BY wallet) h ON h.wallet = a.id
    WHERE a.kind = 'wallet' AND a.debits_pending <> COALESCE(h.held, 0)`,
  'no wallet is overspent': `
    SELECT id FROM ledger_account
    WHERE kind = 'wallet' AND credits_posted - debits_posted - debits_pending < -debt`,
  'no hold was granted below zero': `
    SELECT id FROM ledger_transfer WHERE type = 'hold' AND available_after < 0`,
  'usage never took a wallet below zero': `
    SELECT t.id FROM ledger_transfer t
    JOIN ledger_transfer p ON p.wallet = t.wallet AND p.wallet_seq = t.wallet_seq - 1
    WHERE t.type IN ('settled', 'overage', 'absorbed', 'released', 'expired', 'late')
      AND t.available_after < 0 AND t.available_after < p.available_after`,
  'a resolved hold has exactly one resolution, an open one none': `
    SELECT h.id FROM ledger_hold h LEFT JOIN ledger_transfer t ON t.resolves = h.id
    WHERE (h.state = 'open' AND t.id IS NOT NULL)
      OR (h.state <> 'open' AND (t.id IS NULL OR t.amount <> h.posted OR t.type <> h.state))`,
  'each hold stands in the journal': `
    SELECT h.id FROM ledger_hold h LEFT JOIN ledger_transfer t ON t.id = h.id AND t.type = 'hold'
    WHERE t.id IS NULL OR t.amount <> h.amount OR t.wallet <> h.wallet`,
  'each journalled hold exists': `
    SELECT t.id FROM ledger_transfer t LEFT JOIN ledger_hold h ON h.id = t.id
    WHERE t.type = 'hold' AND h.id IS NULL`,
  'a journal has no gaps': `
    SELECT wallet FROM ledger_transfer GROUP BY wallet HAVING MIN(wallet_seq) <> 1 OR MAX(wallet_seq) <> COUNT(*)`,
  'a wallet knows its last journal row': `
    SELECT a.id FROM ledger_account a LEFT JOIN (
      SELECT wallet, MAX(wallet_seq) AS last_seq FROM ledger_transfer GROUP BY wallet) t ON t.wallet = a.id
    WHERE a.kind = 'wallet' AND a.seq <> COALESCE(t.last_seq, 0)`,
  'credits in minus credits out is what the wallets hold': `
    SELECT issued, owned FROM (SELECT
      (SELECT COALESCE(SUM(CASE WHEN credit_account = wallet THEN amount
        WHEN debit_account = wallet AND type <> 'hold' THEN -amount ELSE 0 END), 0) FROM ledger_transfer) AS issued,
      (SELECT COALESCE(SUM(credits_posted - debits_posted), 0) FROM ledger_account WHERE kind = 'wallet') AS owned
    ) totals WHERE issued <> owned`,
  'the last journal row tells the balance': `
    SELECT a.id FROM ledger_account a JOIN ledger_transfer t ON t.wallet = a.id AND t.wallet_seq = a.seq
    WHERE a.kind = 'wallet' AND (t.available_after <> a.credits_posted - a.debits_posted - a.debits_pending
      OR t.posted_after <> a.credits_posted - a.debits_posted)`,
  'a paid purchase was granted once, in full, to its account': `
    SELECT p.id FROM purchase p LEFT JOIN ledger_transfer t ON t.id = CONCAT('purchase:', p.id)
    WHERE (p.status = 'paid' AND (t.id IS NULL OR t.type <> 'purchase' OR t.amount <> p.credits_millicredits
        OR t.wallet <> p.account_id))
      OR (p.status <> 'paid' AND t.id IS NOT NULL)`,
  'no purchase was granted without being paid': `
    SELECT t.id FROM ledger_transfer t LEFT JOIN purchase p ON t.id = CONCAT('purchase:', p.id) AND p.status = 'paid'
    WHERE t.type = 'purchase' AND p.id IS NULL`,
  'a receipt says what was charged': `
    SELECT c.call_id FROM call_record c LEFT JOIN (
      SELECT hold_id, SUM(amount) AS charged FROM ledger_transfer
      WHERE type IN ('settled', 'overage', 'expired', 'late') GROUP BY hold_id) j ON j.hold_id = c.call_id
    WHERE c.charged_millicredits <> COALESCE(j.charged, 0)`,
  'a receipt is tokens times price': `
    SELECT call_id FROM call_record
    WHERE charged_millicredits + absorbed_millicredits <> (prompt_tokens + completion_tokens) * millicredits_per_token`,
  'each settled call has a receipt': `
    SELECT t.hold_id FROM ledger_transfer t LEFT JOIN call_record c ON c.call_id = t.hold_id
    WHERE t.type IN ('settled', 'expired') AND c.call_id IS NULL`,
  'the hours of use sum to the receipts': `
    SELECT c.account_id FROM (
      SELECT account_id, COUNT(*) AS calls, SUM(prompt_tokens) AS prompt, SUM(completion_tokens) AS completion,
        SUM(charged_millicredits) AS charged, SUM(absorbed_millicredits) AS absorbed
      FROM call_record GROUP BY account_id) c
    LEFT JOIN (
      SELECT account_id, SUM(calls) AS calls, SUM(prompt_tokens) AS prompt, SUM(completion_tokens) AS completion,
        SUM(charged_millicredits) AS charged, SUM(absorbed_millicredits) AS absorbed
      FROM usage_hour GROUP BY account_id) h ON h.account_id = c.account_id
    WHERE h.account_id IS NULL OR h.calls <> c.calls OR h.prompt <> c.prompt OR h.completion <> c.completion
      OR h.charged <> c.charged OR h.absorbed <> c.absorbed`,
  'a debt is no larger than what is missing': `
    SELECT id FROM ledger_account WHERE kind = 'wallet' AND debt > 0
      AND debt > -(credits_posted - debits_posted - debits_pending)`,
  'an account was given its sign-up credits once': `
    SELECT wallet FROM ledger_transfer WHERE type = 'grant' AND id LIKE 'grant:signup:%'
    GROUP BY wallet HAVING COUNT(*) > 1`,
};

/**
 * Recomputes the books and compares. An empty answer means that they are right. Give it a transaction with a consistent
 * snapshot, or a database at rest: between two of its statements the money may move.
 */
export async function findLedgerViolations(snapshot: EntityManager): Promise<LedgerViolation[]> {
  const violations: LedgerViolation[] = [];
  for (const [invariant, sql] of Object.entries(invariants)) {
    const rows: Record<string, unknown>[] = await snapshot.query(`${sql} LIMIT 10`);
    if (rows.length > 0) violations.push({ invariant, rows });
  }
  return violations;
}
