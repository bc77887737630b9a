/** Up to so many keys of an account are gone through in any case. */
const fewKeys = 1_000;
/** Of keys, and of hours, no more are counted, to see which are fewer. */
const countedMax = 20_000;

/**
 * What the keys that a person has made have spent and reserved in a month, as text that both databases read alike. To be read under the
 * lock of the wallet, where no hold is placed and none ends. Accounts may have made tens of thousands of keys, most of which have ended:
 * none of this reads them all, but for `spent`, where the server chooses.
 * @param values How each value stands in the text: a parameter, or the value, quoted; `keyIds` is a list in brackets.
 */
export function memberSpendSql(values: Readonly<Record<'accountId' | 'personId' | 'from' | 'to' | 'keyIds', string>>) {
  const { accountId, personId, from, to, keyIds } = values;
  const made = `account_id = ${accountId} AND COALESCE(made_by, account_id) = ${personId}`;
  const isMade = (keyId: string) => `EXISTS (SELECT 1 FROM api_key WHERE id = ${keyId} AND ${made})`;
  const sum = `SELECT COALESCE(SUM(charged_millicredits), 0) AS spent FROM usage_hour WHERE account_id = ${accountId} AND hour_ms >= ${from} AND hour_ms < ${to}`;
  const ofKeys = `key_id IN (SELECT id FROM api_key WHERE ${made})`;
  const keyCount = `SELECT COUNT(*) FROM (SELECT 1 FROM api_key WHERE account_id = ${accountId} LIMIT ${countedMax})`;
  const hourCount = `SELECT COUNT(*) FROM (SELECT 1 FROM usage_hour WHERE account_id = ${accountId} AND hour_ms >= ${from} AND hour_ms < ${to} LIMIT ${countedMax})`;
  return {
    /** Which of these keys are theirs. By a plain account SQLite would go through all of its keys. */
    made: `SELECT id FROM api_key WHERE id IN ${keyIds} AND COALESCE(account_id, '') = ${accountId} AND COALESCE(made_by, account_id) = ${personId}`,
    spent: `${sum} AND ${ofKeys}`,
    /** The same for SQLite, which would always go through all keys: where there are many, and fewer hours with use, it goes through these. */
    spentOfFewOrMany: `WITH counted (made) AS (${keyCount}) SELECT CASE WHEN made <= ${fewKeys} OR (${hourCount}) >= made THEN (${sum} AND ${ofKeys}) ELSE (${sum} AND ${isMade('usage_hour.key_id')}) END AS spent FROM counted`,
    pending: `SELECT COALESCE(SUM(amount), 0) AS pending FROM ledger_hold WHERE wallet = ${accountId} AND state = 'open' AND started_at_ms >= ${from} AND started_at_ms < ${to} AND ${isMade('ledger_hold.key_id')}`,
  };
}
