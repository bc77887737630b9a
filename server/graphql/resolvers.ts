import 'reflect-metadata';
import { AccountPriceResolver } from '../accounts/account-price.graphql.js';
import { AccountSettingsResolver } from '../accounts/account-settings.graphql.js';
import { AccountsResolver } from '../accounts/accounts.graphql.js';
import { LinkedIdentitiesResolver } from '../accounts/identities/linked-identities.graphql.js';
import { ProviderSignInResolver } from '../accounts/identities/provider-sign-in.graphql.js';
import { PreferredProviderResolver } from '../accounts/preferred-provider.graphql.js';
import { EmailChangesResolver } from '../accounts/recovery/email-changes.graphql.js';
import { PasswordResetsResolver } from '../accounts/recovery/password-resets.graphql.js';
import { FactorSignInResolver } from '../accounts/sign-in/factor-sign-in.graphql.js';
import { SessionsResolver } from '../accounts/sign-in/sessions.graphql.js';
import { EmailVerificationsResolver } from '../accounts/sign-up/email-verifications.graphql.js';
import { BalanceAlertResolver } from '../alerts/balance-alert.graphql.js';
import { AnnouncementsResolver } from '../announcements/announcements.graphql.js';
import { AccountEventsResolver } from '../audit/account-events.graphql.js';
import { FactorRecoveryResolver } from '../factors/factor-recovery.graphql.js';
import { FactorsResolver } from '../factors/factors.graphql.js';
import { PasskeysResolver } from '../factors/passkeys/passkeys.graphql.js';
import { GiftCodesResolver } from '../gifts/gift-codes.graphql.js';
import { KeysResolver } from '../keys/keys.graphql.js';
import { ProofResolver } from '../ledger/checks/proof.graphql.js';
import { LedgerResolver } from '../ledger/ledger.graphql.js';
import { InvitationsResolver } from '../members/invitations.graphql.js';
import { MembersResolver } from '../members/members.graphql.js';
import { NoticesResolver } from '../notices/notices.graphql.js';
import { WebhookDeliveriesResolver } from '../notices/webhook-deliveries.graphql.js';
import { ModelsResolver } from '../providers/models.graphql.js';
import { ProvidersResolver } from '../providers/providers.graphql.js';
import { PurchasesResolver } from '../purchases/checkout/purchases.graphql.js';
import { PersonalItemsResolver } from '../saved-items/personal-items.graphql.js';
import { SavedItemsResolver } from '../saved-items/saved-items.graphql.js';
import { AutoTopUpResolver } from '../top-ups/auto-top-up.graphql.js';
import { ExploreResolver } from '../usage/reports/explore.graphql.js';
import { LatencyResolver } from '../usage/reports/latency-report.graphql.js';
import { SpendingResolver } from '../usage/reports/spending.graphql.js';
import { UsageReportResolver } from '../usage/reports/usage-report.graphql.js';
import { ReceiptLinksResolver } from '../usage/requests/receipt-links.graphql.js';
import { RefusalsResolver } from '../usage/requests/refusals.graphql.js';
import { RequestsResolver } from '../usage/requests/requests.graphql.js';
import { ServiceStatusResolver } from '../usage/service/service-status.graphql.js';
import { UsageResolver } from '../usage/usage.graphql.js';
import { WebhookEndpointsResolver } from '../webhooks/webhook-endpoints.graphql.js';
import type { ResolverClass, ResolverInstances } from './graphql-schema.js';
import { type OperatorServices, operatorEdges } from './operator-resolvers.js';

/** What the resolvers call. */
export interface ResolverServices {
  readonly accounts: ConstructorParameters<typeof AccountsResolver>[0];
  readonly settings: ConstructorParameters<typeof AccountSettingsResolver>[0];
  readonly sessions: ConstructorParameters<typeof SessionsResolver>[0];
  readonly verifications: ConstructorParameters<typeof EmailVerificationsResolver>[0];
  readonly events: ConstructorParameters<typeof AccountEventsResolver>[0];
  readonly resets: ConstructorParameters<typeof PasswordResetsResolver>[0];
  readonly emailChanges: ConstructorParameters<typeof EmailChangesResolver>[0];
  readonly factorSignIn: ConstructorParameters<typeof FactorSignInResolver>[0];
  readonly factors: ConstructorParameters<typeof FactorsResolver>[0];
  readonly factorRecovery: ConstructorParameters<typeof FactorRecoveryResolver>[0];
  readonly secondFactors: ConstructorParameters<typeof FactorRecoveryResolver>[1];
  readonly freshFactors: ConstructorParameters<typeof FactorsResolver>[1];
  readonly memberships: ConstructorParameters<typeof MembersResolver>[0];
  readonly memberBudgets: ConstructorParameters<typeof MembersResolver>[1];
  readonly invitations: ConstructorParameters<typeof InvitationsResolver>[0];
  readonly providerSignIn: ConstructorParameters<typeof ProviderSignInResolver>[0];
  readonly identities: ConstructorParameters<typeof LinkedIdentitiesResolver>[0];
  readonly limits: ConstructorParameters<typeof AccountsResolver>[2];
  readonly keys: ConstructorParameters<typeof KeysResolver>[0];
  readonly keySpend: ConstructorParameters<typeof KeysResolver>[1];
  readonly clock: ConstructorParameters<typeof KeysResolver>[2];
  readonly ledgerReader: ConstructorParameters<typeof AccountsResolver>[1] &
    ConstructorParameters<typeof GiftCodesResolver>[1];
  readonly statement: ConstructorParameters<typeof LedgerResolver>[0];
  readonly proof: ConstructorParameters<typeof ProofResolver>[0];
  readonly catalogue: ConstructorParameters<typeof ModelsResolver>[0] &
    ConstructorParameters<typeof ProvidersResolver>[0];
  readonly health: ConstructorParameters<typeof ProvidersResolver>[1];
  readonly preferredProviders: ConstructorParameters<typeof PreferredProviderResolver>[0];
  readonly accountPrices: ConstructorParameters<typeof AccountPriceResolver>[0];
  readonly purchases: ConstructorParameters<typeof PurchasesResolver>[0];
  readonly topUpSettings: ConstructorParameters<typeof AutoTopUpResolver>[0];
  readonly alerts: ConstructorParameters<typeof BalanceAlertResolver>[0];
  readonly toldNotices: ConstructorParameters<typeof NoticesResolver>[0];
  readonly webhooks: ConstructorParameters<typeof WebhookDeliveriesResolver>[0];
  readonly endpoints: ConstructorParameters<typeof WebhookEndpointsResolver>[0];
  readonly giftCodes: ConstructorParameters<typeof GiftCodesResolver>[0];
  readonly calls: ConstructorParameters<typeof UsageResolver>[0];
  readonly usage: ConstructorParameters<typeof UsageReportResolver>[0];
  readonly explore: ConstructorParameters<typeof ExploreResolver>[0];
  readonly latency: ConstructorParameters<typeof LatencyResolver>[0];
  readonly refusals: ConstructorParameters<typeof RefusalsResolver>[0];
  readonly requests: ConstructorParameters<typeof RequestsResolver>[0];
  readonly receiptLinks: ConstructorParameters<typeof ReceiptLinksResolver>[0];
  readonly savedItems: ConstructorParameters<typeof SavedItemsResolver>[0];
  readonly personalItems: ConstructorParameters<typeof PersonalItemsResolver>[0];
  readonly measures: ConstructorParameters<typeof ServiceStatusResolver>[0];
  readonly announcementBoard: ConstructorParameters<typeof AnnouncementsResolver>[0];
  readonly spending: ConstructorParameters<typeof SpendingResolver>[0];
  /** Left out: nobody runs this server by GraphQL. */
  readonly operators?: OperatorServices;
}

/** The edges of all domains, and how the one object that serves each of them is made. A composition root: `app.ts` fills them. */
const edges: readonly (readonly [ResolverClass, (of: ResolverServices) => object])[] = [
  [AccountsResolver, (of) => new AccountsResolver(of.accounts, of.ledgerReader, of.limits)],
  [AccountSettingsResolver, (of) => new AccountSettingsResolver(of.settings, of.sessions)],
  [SessionsResolver, (of) => new SessionsResolver(of.sessions)],
  [EmailVerificationsResolver, (of) => new EmailVerificationsResolver(of.verifications)],
  [PasswordResetsResolver, (of) => new PasswordResetsResolver(of.resets)],
  [AccountEventsResolver, (of) => new AccountEventsResolver(of.events, of.memberships)],
  [EmailChangesResolver, (of) => new EmailChangesResolver(of.emailChanges)],
  [FactorSignInResolver, (of) => new FactorSignInResolver(of.factorSignIn)],
  [ProviderSignInResolver, (of) => new ProviderSignInResolver(of.providerSignIn)],
  [LinkedIdentitiesResolver, (of) => new LinkedIdentitiesResolver(of.identities, of.providerSignIn)],
  [FactorsResolver, (of) => new FactorsResolver(of.factors, of.freshFactors)],
  [FactorRecoveryResolver, (of) => new FactorRecoveryResolver(of.factorRecovery, of.secondFactors)],
  [PasskeysResolver, (of) => new PasskeysResolver(of.factors, of.freshFactors)],
  [MembersResolver, (of) => new MembersResolver(of.memberships, of.memberBudgets)],
  [InvitationsResolver, (of) => new InvitationsResolver(of.invitations)],
  [KeysResolver, (of) => new KeysResolver(of.keys, of.keySpend, of.clock, of.memberships)],
  [LedgerResolver, (of) => new LedgerResolver(of.statement)],
  [ProofResolver, (of) => new ProofResolver(of.proof)],
  [ModelsResolver, (of) => new ModelsResolver(of.catalogue, of.health, of.accountPrices)],
  [ProvidersResolver, (of) => new ProvidersResolver(of.catalogue, of.health)],
  [PreferredProviderResolver, (of) => new PreferredProviderResolver(of.preferredProviders)],
  [AccountPriceResolver, (of) => new AccountPriceResolver(of.accountPrices)],
  [PurchasesResolver, (of) => new PurchasesResolver(of.purchases, (member) => of.memberships.findRole(member))],
  [AutoTopUpResolver, (of) => new AutoTopUpResolver(of.topUpSettings, of.memberships)],
  [BalanceAlertResolver, (of) => new BalanceAlertResolver(of.alerts)],
  [NoticesResolver, (of) => new NoticesResolver(of.toldNotices)],
  [WebhookDeliveriesResolver, (of) => new WebhookDeliveriesResolver(of.webhooks)],
  [WebhookEndpointsResolver, (of) => new WebhookEndpointsResolver(of.endpoints)],
  [GiftCodesResolver, (of) => new GiftCodesResolver(of.giftCodes, of.ledgerReader)],
  [UsageResolver, (of) => new UsageResolver(of.calls, of.keys)],
  [UsageReportResolver, (of) => new UsageReportResolver(of.usage)],
  [ExploreResolver, (of) => new ExploreResolver(of.explore)],
  [LatencyResolver, (of) => new LatencyResolver(of.latency)],
  [SpendingResolver, (of) => new SpendingResolver(of.spending, of.clock)],
  [RefusalsResolver, (of) => new RefusalsResolver(of.refusals, of.keys)],
  [RequestsResolver, (of) => new RequestsResolver(of.requests)],
  [ReceiptLinksResolver, (of) => new ReceiptLinksResolver(of.receiptLinks)],
  [SavedItemsResolver, (of) => new SavedItemsResolver(of.savedItems)],
  [PersonalItemsResolver, (of) => new PersonalItemsResolver(of.personalItems)],
  [ServiceStatusResolver, (of) => new ServiceStatusResolver(of.measures, of.catalogue)],
  [AnnouncementsResolver, (of) => new AnnouncementsResolver(of.announcementBoard)],
];

export const resolverClasses: readonly ResolverClass[] = [...edges, ...operatorEdges].map(([served]) => served);

export function createResolvers(services: ResolverServices): ResolverInstances {
  const { operators } = services;
  return new Map<ResolverClass, object>([
    ...edges.map(([served, make]) => [served, make(services)] as const),
    ...(operators ? operatorEdges.map(([served, make]) => [served, make(operators)] as const) : []),
  ]);
}
