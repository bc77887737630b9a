// What is left of the receipts of sealed months. Most receipts are younger than all of those, and are seen to be so at once; CROSS JOIN
// has SQLite look at each of them once, and not once a month.
const leftOfSealedMonths = `
      SELECT c.account_id, m.month_ms, COUNT(*) AS calls, SUM(c.prompt_tokens) AS prompt,
        SUM(c.completion_tokens) AS completion, SUM(c.charged_millicredits) AS charged,
        SUM(c.absorbed_millicredits) AS absorbed
      FROM call_record c CROSS JOIN sealed_month m
      WHERE c.started_at_ms < (SELECT MAX(month_end_ms) FROM sealed_month) AND m.account_id = c.account_id
        AND c.started_at_ms >= m.month_ms AND c.started_at_ms < m.month_end_ms
      GROUP BY c.account_id, m.month_ms`;

/** What must hold of months whose receipts were summed up and removed; told and asked as `invariants` of `check-ledger.ts` are. */
export const sealedInvariants: Readonly<Record<string, string>> = {
  'a sealed month and what is left of its receipts are what its hours of use say': `
    SELECT s.account_id AS wallet, s.month_ms FROM sealed_month s
    LEFT JOIN (${leftOfSealedMonths}) r ON r.account_id = s.account_id AND r.month_ms = s.month_ms
    LEFT JOIN (
      SELECT m.account_id, m.month_ms, SUM(u.calls) AS calls, SUM(u.prompt_tokens) AS prompt,
        SUM(u.completion_tokens) AS completion, SUM(u.charged_millicredits) AS charged,
        SUM(u.absorbed_millicredits) AS absorbed
      FROM sealed_month m JOIN usage_hour u ON u.account_id = m.account_id
        AND u.hour_ms >= m.month_ms AND u.hour_ms < m.month_end_ms
      GROUP BY m.account_id, m.month_ms) u ON u.account_id = s.account_id AND u.month_ms = s.month_ms
    WHERE u.calls IS NULL OR u.calls <> s.calls + COALESCE(r.calls, 0)
      OR u.prompt <> s.prompt_tokens + COALESCE(r.prompt, 0)
      OR u.completion <> s.completion_tokens + COALESCE(r.completion, 0)
      OR u.charged <> s.charged_millicredits + COALESCE(r.charged, 0)
      OR u.absorbed <> s.absorbed_millicredits + COALESCE(r.absorbed, 0)`,
  'what receipts and sealed months charged an account is what its journal and its leases took': `
    SELECT s.account_id AS wallet FROM (
      SELECT account_id, SUM(charged_millicredits) AS charged, SUM(absorbed_millicredits) AS absorbed
      FROM sealed_month GROUP BY account_id) s
    LEFT JOIN (
      SELECT account_id, SUM(charged_millicredits) AS charged, SUM(absorbed_millicredits) AS absorbed
      FROM call_record GROUP BY account_id) c ON c.account_id = s.account_id
    LEFT JOIN (
      SELECT wallet, SUM(CASE WHEN type IN ('settled', 'overage', 'expired', 'late') THEN amount ELSE 0 END) AS charged,
        SUM(CASE WHEN type = 'absorbed' THEN amount ELSE 0 END) AS absorbed
      FROM ledger_transfer GROUP BY wallet) j ON j.wallet = s.account_id
    LEFT JOIN (
      SELECT wallet, SUM(spent) AS spent FROM wallet_lease WHERE state <> 'ended' GROUP BY wallet) l
      ON l.wallet = s.account_id
    WHERE s.charged + COALESCE(c.charged, 0) <> COALESCE(j.charged, 0) + COALESCE(l.spent, 0)
      OR s.absorbed + COALESCE(c.absorbed, 0) <> COALESCE(j.absorbed, 0)`,
  'as many charged calls have no receipt as were sealed with a hold of their own': `
    SELECT a.id AS wallet FROM ledger_account a
    LEFT JOIN (
      SELECT h.wallet, COUNT(*) AS missing FROM ledger_hold h LEFT JOIN call_record c ON c.call_id = h.id
      WHERE h.state IN ('settled', 'expired') AND h.key_id <> 'lease' AND c.call_id IS NULL GROUP BY h.wallet) h
      ON h.wallet = a.id
    LEFT JOIN (SELECT account_id, SUM(held_calls) AS sealed FROM sealed_month GROUP BY account_id) s
      ON s.account_id = a.id
    WHERE COALESCE(h.missing, 0) <> COALESCE(s.sealed, 0)`,
};
