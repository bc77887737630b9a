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
