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
import { listOperatorResolvers, type OperatorServices, operatorResolverClasses } from './operator-resolvers.js';

/** The edges of all domains. A composition root: the schema is made of these, and `app.ts` fills them. */
export const resolverClasses: readonly ResolverClass[] = [
  AccountsResolver,
  AccountSettingsResolver,
  SessionsResolver,
  EmailVerificationsResolver,
  PasswordResetsResolver,
  AccountEventsResolver,
  EmailChangesResolver,
  FactorSignInResolver,
  ProviderSignInResolver,
  LinkedIdentitiesResolver,
  FactorsResolver,
  FactorRecoveryResolver,
  PasskeysResolver,
  MembersResolver,
  InvitationsResolver,
  KeysResolver,
  LedgerResolver,
  ProofResolver,
  ModelsResolver,
  ProvidersResolver,
  PreferredProviderResolver,
  AccountPriceResolver,
  PurchasesResolver,
  AutoTopUpResolver,
  BalanceAlertResolver,
  NoticesResolver,
  WebhookDeliveriesResolver,
  WebhookEndpointsResolver,
  GiftCodesResolver,
  UsageResolver,
  UsageReportResolver,
  ExploreResolver,
  LatencyResolver,
  SpendingResolver,
  RefusalsResolver,
  RequestsResolver,
  ReceiptLinksResolver,
  SavedItemsResolver,
  PersonalItemsResolver,
  ServiceStatusResolver,
  AnnouncementsResolver,
  ...operatorResolverClasses,
];

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

/** Makes the one object that serves each resolver class. */
export function createResolvers(services: ResolverServices): ResolverInstances {
  return new Map<ResolverClass, object>([
    [AccountsResolver, new AccountsResolver(services.accounts, services.ledgerReader, services.limits)],
    [KeysResolver, new KeysResolver(services.keys, services.keySpend, services.clock, services.memberships)],
    [AccountSettingsResolver, new AccountSettingsResolver(services.settings, services.sessions)],
    [SessionsResolver, new SessionsResolver(services.sessions)],
    [EmailVerificationsResolver, new EmailVerificationsResolver(services.verifications)],
    [AccountEventsResolver, new AccountEventsResolver(services.events, services.memberships)],
    [PasswordResetsResolver, new PasswordResetsResolver(services.resets)],
    [EmailChangesResolver, new EmailChangesResolver(services.emailChanges)],
    [FactorSignInResolver, new FactorSignInResolver(services.factorSignIn)],
    [ProviderSignInResolver, new ProviderSignInResolver(services.providerSignIn)],
    [LinkedIdentitiesResolver, new LinkedIdentitiesResolver(services.identities, services.providerSignIn)],
    [PasskeysResolver, new PasskeysResolver(services.factors, services.freshFactors)],
    [FactorRecoveryResolver, new FactorRecoveryResolver(services.factorRecovery, services.secondFactors)],
    [FactorsResolver, new FactorsResolver(services.factors, services.freshFactors)],
    [MembersResolver, new MembersResolver(services.memberships, services.memberBudgets)],
    [InvitationsResolver, new InvitationsResolver(services.invitations)],
    [LedgerResolver, new LedgerResolver(services.statement)],
    [ProofResolver, new ProofResolver(services.proof)],
    [ModelsResolver, new ModelsResolver(services.catalogue, services.health, services.accountPrices)],
    [ProvidersResolver, new ProvidersResolver(services.catalogue, services.health)],
    [PreferredProviderResolver, new PreferredProviderResolver(services.preferredProviders)],
    [AccountPriceResolver, new AccountPriceResolver(services.accountPrices)],
    [PurchasesResolver, new PurchasesResolver(services.purchases, (of) => services.memberships.findRole(of))],
    [AutoTopUpResolver, new AutoTopUpResolver(services.topUpSettings, services.memberships)],
    [BalanceAlertResolver, new BalanceAlertResolver(services.alerts)],
    [NoticesResolver, new NoticesResolver(services.toldNotices)],
    [WebhookDeliveriesResolver, new WebhookDeliveriesResolver(services.webhooks)],
    [WebhookEndpointsResolver, new WebhookEndpointsResolver(services.endpoints)],
    [GiftCodesResolver, new GiftCodesResolver(services.giftCodes, services.ledgerReader)],
    [UsageResolver, new UsageResolver(services.calls, services.keys)],
    [UsageReportResolver, new UsageReportResolver(services.usage)],
    [ExploreResolver, new ExploreResolver(services.explore)],
    [LatencyResolver, new LatencyResolver(services.latency)],
    [RefusalsResolver, new RefusalsResolver(services.refusals, services.keys)],
    [RequestsResolver, new RequestsResolver(services.requests)],
    [ReceiptLinksResolver, new ReceiptLinksResolver(services.receiptLinks)],
    [SavedItemsResolver, new SavedItemsResolver(services.savedItems)],
    [PersonalItemsResolver, new PersonalItemsResolver(services.personalItems)],
    [ServiceStatusResolver, new ServiceStatusResolver(services.measures, services.catalogue)],
    [AnnouncementsResolver, new AnnouncementsResolver(services.announcementBoard)],
    [SpendingResolver, new SpendingResolver(services.spending, services.clock)],
    ...(services.operators ? listOperatorResolvers(services.operators) : []),
  ]);
}
