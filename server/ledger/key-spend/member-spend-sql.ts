/**
 * What the keys that a person has made have spent and reserved in a month, as text that both databases read alike. To be read under the
 * lock of the wallet, where no hold is placed and none ends.
 * @param values How each value stands in the text: a parameter, or the value, quoted.
 */
export function memberSpendSql(values: Readonly<Record<'accountId' | 'personId' | 'from' | 'to', string>>) {
  const { accountId, personId, from, to } = values;
  const keys = `SELECT id FROM api_key WHERE account_id = ${accountId} AND COALESCE(made_by, account_id) = ${personId}`;
  return {
    keys,
    spent: `SELECT COALESCE(SUM(charged_millicredits), 0) AS spent FROM usage_hour WHERE account_id = ${accountId} AND hour_ms >= ${from} AND hour_ms < ${to} AND key_id IN (${keys})`,
    pending: `SELECT COALESCE(SUM(amount), 0) AS pending FROM ledger_hold WHERE wallet = ${accountId} AND state = 'open' AND started_at_ms >= ${from} AND started_at_ms < ${to} AND key_id IN (${keys})`,
  };
}
