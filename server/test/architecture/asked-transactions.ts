import { isTestCode, type SourceTree, withoutComments } from './source-tree.js';

/**
 * The files whose changes somebody asks for. `transact` and `transactInTurn` prove whoever asks, and refuse once they may not any more; what
 * the server does by itself, or has begun and must end, would be refused with them. A file that is not here writes by `transactForServer`.
 */
const askedTransactions: readonly string[] = [
  'server/accounts/account-deletion.ts',
  'server/accounts/account-service.ts',
  'server/accounts/account-settings.ts',
  'server/accounts/identities/linked-identities.ts',
  'server/accounts/preferred-providers.ts',
  'server/accounts/recovery/email-changes.ts',
  'server/accounts/recovery/password-resets.ts',
  'server/accounts/sign-in/known-devices.ts',
  'server/accounts/sign-in/session-service.ts',
  'server/accounts/sign-up/email-verifications.ts',
  'server/accounts/sign-up/sign-up-blocks.ts',
  'server/accounts/sign-up/sign-up-invitations.ts',
  'server/alerts/balance-alerts.ts',
  'server/announcements/announcements.ts',
  'server/audit/account-events.ts',
  'server/catalogue/price-groups.ts',
  'server/catalogue/price-versions.ts',
  'server/catalogue/provider-changes.ts',
  'server/factors/authenticator-apps.ts',
  'server/factors/factor-recovery.ts',
  'server/factors/factors.ts',
  'server/factors/passkeys/passkeys.ts',
  'server/factors/pending-proofs.ts',
  'server/factors/recovery-codes.ts',
  'server/gifts/gift-codes.ts',
  'server/keys/api-key-service.ts',
  'server/ledger/receipts/receipt-retention.ts',
  'server/limits/account-limits.ts',
  'server/members/invitations.ts',
  'server/members/member-budgets.ts',
  'server/members/memberships.ts',
  'server/notices/notice-desk.ts',
  'server/notices/told-notices.ts',
  'server/notices/webhook-deliveries.ts',
  'server/operator/abuse/risk-marks.ts',
  'server/operator/accounts/customer-views.ts',
  'server/operator/money/credit-desk.ts',
  'server/operator/operator-log.ts',
  'server/operator/people/operator-people.ts',
  'server/operator/people/operator-sessions.ts',
  'server/operator/people/operator-sign-in.ts',
  'server/operator/people/operator-tokens.ts',
  'server/purchases/checkout/purchase-service.ts',
  'server/purchases/payment-notices.ts',
  'server/purchases/refund-orders.ts',
  'server/saved-items/personal-items.ts',
  'server/saved-items/saved-items.ts',
  'server/top-ups/top-up-settings.ts',
  'server/usage/requests/receipt-links.ts',
  'server/webhooks/webhook-endpoints.ts',
];

const asks = /\.transact(?:InTurn)?\(/;
const itself = 'server/database/unit-of-work.ts';

/** Every file that proves whoever asks and is not listed, and every listed one that does not, each as one sentence. */
export function findAskedTransactions(tree: SourceTree, listed = askedTransactions): string[] {
  const found = [...tree].flatMap(([path, text]) => {
    if (!path.startsWith('server/') || isTestCode(path) || path === itself) return [];
    return asks.test(withoutComments(text)) ? [path] : [];
  });
  const unknown = found
    .filter((path) => !listed.includes(path))
    .map(
      (path) =>
        `${path} proves whoever asks: use transactForServer, or say in asked-transactions.ts that somebody asks for it.`,
    );
  const idle = listed.filter((path) => !found.includes(path));
  return [...unknown, ...idle.map((path) => `${path} proves nobody: take it off the list.`)];
}
