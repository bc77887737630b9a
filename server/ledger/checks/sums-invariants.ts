const sumNames = ['calls', 'prompt_tokens', 'completion_tokens', 'charged_millicredits', 'absorbed_millicredits'];
const tokenNames = sumNames.slice(0, 3);

const plain = (of = '') => sumNames.map((name) => `${of}${name}`).join(', ');
const summed = (sign: '' | '-') => sumNames.map((name) => `${sign}SUM(u.${name}) AS ${name}`).join(', ');
const differs = (names: readonly string[]) => names.map((name) => `SUM(${name}) <> 0`).join(' OR ');

// Of the hour that is being summed, the first accounts are in their months already.
const beforeMark = "JOIN totals_mark t ON t.name = 'usage' AND u.hour_ms < t.hour_ms";
const inMonths =
  "JOIN totals_mark t ON t.name = 'usage' AND (u.hour_ms < t.hour_ms OR (u.hour_ms = t.hour_ms AND u.account_id <= t.account_id))";

// Each month that has sums, until the next one that has. Days come first, so that few rows are compared with the months.
const byMonth = (table: 'usage_hour' | 'usage_late', sign: '' | '-') => `
      SELECT d.account_id, m.month_ms, ${sumNames.map((name) => `${sign}d.${name}`).join(', ')} FROM (
        SELECT u.account_id, u.hour_ms - u.hour_ms % 86400000 AS day_ms, ${summed('')}
        FROM ${table} u ${inMonths} GROUP BY u.account_id, u.hour_ms - u.hour_ms % 86400000) d
      LEFT JOIN (
        SELECT month_ms, COALESCE(LEAD(month_ms) OVER (ORDER BY month_ms), 9000000000000000) AS next_ms
        FROM (SELECT DISTINCT month_ms FROM account_month) known) m ON d.day_ms >= m.month_ms AND d.day_ms < m.next_ms`;

/**
 * What must hold of use that is summed over all accounts and by the month; told and asked as `invariants` of `check-ledger.ts` are. The
 * earliest rows that break it come first: `TotalsSummer` sums again from there.
 */
export const totalsInvariants: Readonly<Record<string, string>> = {
  'the hours of all accounts and what came late of them sum to the hours of each': `
    SELECT hour_ms, model, provider FROM (
      SELECT hour_ms, model, provider, ${plain()} FROM usage_total
      UNION ALL SELECT u.hour_ms, u.model, u.provider, ${summed('')}
      FROM usage_late u ${beforeMark} GROUP BY u.hour_ms, u.model, u.provider
      UNION ALL SELECT u.hour_ms, u.model, u.provider, ${summed('-')}
      FROM usage_hour u ${beforeMark} GROUP BY u.hour_ms, u.model, u.provider) parts
    GROUP BY hour_ms, model, provider HAVING ${differs(sumNames)} ORDER BY hour_ms`,
  'the months of each account and what came late of them sum to its hours': `
    SELECT month_ms, account_id FROM (
      SELECT account_id, month_ms, ${plain()} FROM account_month
      UNION ALL ${byMonth('usage_late', '')}
      UNION ALL ${byMonth('usage_hour', '-')}) parts
    GROUP BY account_id, month_ms HAVING ${differs(sumNames)} ORDER BY month_ms`,
  'the months of each account are the sums of their parts': `
    SELECT month_ms, account_id FROM (
      SELECT account_id, month_ms, ${tokenNames.join(', ')} FROM account_month
      UNION ALL SELECT account_id, month_ms, ${tokenNames.map((name) => `-${name}`).join(', ')} FROM account_part) parts
    GROUP BY account_id, month_ms HAVING ${differs(tokenNames)} ORDER BY month_ms`,
};

/** What the auditor proves of the hours that the journal was summed to; each finds the rows that break it. */
export const journalInvariants: Readonly<Record<string, string>> = {
  'the hours of the journal continue each other and sum to the journal': `
    SELECT h.hour_ms FROM ledger_hour h
    LEFT JOIN ledger_hour p ON p.hour_ms = (SELECT MAX(hour_ms) FROM ledger_hour WHERE hour_ms < h.hour_ms)
    WHERE h.liability_after <> COALESCE(p.liability_after, 0) + h.sales + h.gifts + h.grants - h.refunds
      + h.refunds_returned - h.disputes + h.disputes_returned + h.added - h.taken_back - h.charged
    UNION ALL
    SELECT h.hour_ms FROM ledger_hour h WHERE h.hour_ms = (SELECT MAX(hour_ms) FROM ledger_hour)
      AND h.liability_after <> (SELECT SUM(CASE WHEN credit_account = wallet THEN amount
        WHEN debit_account = wallet AND type <> 'hold' THEN -amount ELSE 0 END) FROM ledger_transfer
        WHERE at_ms < h.hour_ms + 3600000)`,
};
