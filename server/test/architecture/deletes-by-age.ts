import { isTestCode, type SourceTree, withoutComments } from './source-tree.js';

const taken = 'what it takes is asked for again by whoever needs it, and grants nothing meanwhile';
const judged = 'by a time that has surely come';

/**
 * Every file that deletes rows and compares moments or their ids, with the reason why a clock that is ahead for a moment takes nothing
 * away for good. What nobody can make again is deleted by a time that has surely come (`findProvenMs`, `ProvenTime`).
 */
const deletesByAge: Readonly<Record<string, string>> = {
  'server/accounts/recovery/account-links.ts': judged,
  'server/accounts/sign-in/session-service.ts': 'a sign-in begins another one, and nothing else goes with it',
  'server/accounts/sign-up/email-verifications.ts': judged,
  'server/accounts/sign-up/left-gifts.ts': 'not by age: requests of accounts that were deleted',
  'server/accounts/sign-up/sign-up-invitations.ts': judged,
  'server/audit/note-event.ts': judged,
  'server/factors/authenticator-apps.ts': 'not by age: compares the steps of codes',
  'server/factors/factor-recovery.ts': judged,
  'server/factors/pending-proofs.ts': taken,
  'server/idempotency/claim-rows.ts': `${judged} (\`SteadyTime\`)`,
  'server/instances/instance-reports.ts': 'each process writes its own again within seconds',
  'server/keys/changes/key-change-log.ts': 'not by age: by numbers that all have read',
  'server/keys/key-networks.ts': judged,
  'server/limits/stores/database-attempt-store.ts':
    'by the database’s clock, of windows that a clock set right would end, too',
  'server/members/invitations.ts': judged,
  'server/notices/old-notices.ts': judged,
  'server/operator/accounts/customer-views.ts': taken,
  'server/operator/people/operator-people.ts': taken,
  'server/operator/people/operator-sessions.ts': taken,
  'server/usage/requests/receipt-links.ts': taken,
  'server/usage/requests/refusal-log.ts': judged,
  'server/usage/sums/remove-old-sets.ts': 'sums that are made of receipts, and read from these where there is none',
};

const deletes = /\b(?:transaction|manager|reader)\.delete\(/;
const compares = /\b(?:LessThan|LessThanOrEqual|isDue|isOlder)\b/;
const deletesInSql = /DELETE FROM (?!request_minute)[^`']*</;

/** Every file that deletes by age and is in no row, and every row that nothing needs, each as one sentence. */
export function findDeletesByAge(tree: SourceTree, rows = deletesByAge): string[] {
  const found = [...tree].flatMap(([path, text]) => {
    if (!path.startsWith('server/') || isTestCode(path) || path.includes('/migrations/')) return [];
    const code = withoutComments(text);
    return (deletes.test(code) && compares.test(code)) || deletesInSql.test(code) ? [path] : [];
  });
  const unknown = found
    .filter((path) => !(path in rows))
    .map((path) => `${path} deletes by age: ask findProvenMs or ProvenTime, and say so in deletes-by-age.ts.`);
  const idle = Object.keys(rows).filter((path) => !found.includes(path));
  return [...unknown, ...idle.map((path) => `${path} deletes nothing by age: take its row away.`)];
}
