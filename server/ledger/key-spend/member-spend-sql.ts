/** Up to so many keys of an account are gone through in any case. */
const fewKeys = 1_000;
/** Of keys, and of hours, no more are counted, to see which are fewer. */
const countedMax = 20_000;

/**
 * What the keys that a person has made have spent and reserved in a month, as text that both databases read alike. To be read under the
 * lock of the wallet, where no hold is placed and none ends. Accounts may have made tens of thousands of keys, most of which have ended:
 * none of this reads them all where fewer hours have use.
 * @param values How each value stands in the text: a parameter, or the value, quoted; `keyIds` is a list in brackets.
 */
export function memberSpendSql(values: Readonly<Record<'accountId' | 'personId' | 'from' | 'to' | 'keyIds', string>>) {
  const { accountId, personId, from, to, keyIds } = values;
  const made = `account_id = ${accountId} AND COALESCE(made_by, account_id) = ${personId}`;
  const isMade = (keyId: string) => `EXISTS (SELECT 1 FROM api_key WHERE id = ${keyId} AND ${made})`;
  const use = `u.account_id = ${accountId} AND u.hour_ms >= ${from} AND u.hour_ms < ${to}`;
  const sum = 'SELECT COALESCE(SUM(u.charged_millicredits), 0) FROM';
  const spent = (byKeys: string, byHours: string) => {
    const upTo = (of: string) => `FROM (SELECT 1 FROM ${of} LIMIT ${countedMax}) AS counted_rows`;
    const keyCount = `SELECT COUNT(*) AS made ${upTo(`api_key WHERE account_id = ${accountId}`)}`;
    const areKeysFewer = `made <= ${fewKeys} OR (SELECT COUNT(*) ${upTo(`usage_hour u WHERE ${use}`)}) >= made`;
    return `SELECT CASE WHEN ${areKeysFewer} THEN (${byKeys}) ELSE (${byHours}) END AS spent FROM (${keyCount}) AS counted`;
  };
  const onServer = `COALESCE(k.made_by, k.account_id) = ${personId} AND k.account_id = ${accountId} AND ${use}`;
  return {
    /** Which of these keys are theirs. By a plain account SQLite would go through all of its keys. */
    made: `SELECT id FROM api_key WHERE id IN ${keyIds} AND COALESCE(account_id, '') = ${accountId} AND COALESCE(made_by, account_id) = ${personId}`,
    /** By SQLite, which would always go through all keys: where there are many, and fewer hours with use, it goes through these. */
    spentInFile: spent(
      `${sum} usage_hour u WHERE ${use} AND u.key_id IN (SELECT id FROM api_key WHERE ${made})`,
      `${sum} usage_hour u WHERE ${use} AND ${isMade('u.key_id')}`,
    ),
    /** By MySQL or MariaDB, which would go through all hours of the account: in the same way, by the indices that are named. */
    spentOnServer: spent(
      `${sum} api_key k FORCE INDEX (ix_api_key_account) STRAIGHT_JOIN usage_hour u FORCE INDEX (ix_usage_hour_key) ON u.key_id = k.id WHERE ${onServer}`,
      `${sum} usage_hour u FORCE INDEX (PRIMARY) STRAIGHT_JOIN api_key k FORCE INDEX (PRIMARY) ON k.id = u.key_id WHERE ${onServer}`,
    ),
    pending: `SELECT COALESCE(SUM(amount), 0) AS pending FROM ledger_hold WHERE wallet = ${accountId} AND state = 'open' AND started_at_ms >= ${from} AND started_at_ms < ${to} AND ${isMade('ledger_hold.key_id')}`,
  };
}
