import 'reflect-metadata';
import {
  OperatorAbuseMutations,
  OperatorAbuseQueries,
  OperatorAbuseResolver,
} from '../operator/abuse/operator-abuse.graphql.js';
import {
  OperatorRiskMarkMutations,
  OperatorRiskMarkQueries,
  OperatorRiskOfAccount,
} from '../operator/abuse/operator-risk-mark.graphql.js';
import { OperatorSignUpMutations, OperatorSignUpQueries } from '../operator/abuse/operator-sign-up.graphql.js';
import { OperatorAccountQueries, OperatorAccountResolver } from '../operator/accounts/operator-account.graphql.js';
import { OperatorAccountDeletionMutations } from '../operator/accounts/operator-account-deletion.graphql.js';
import { OperatorAccountExportMutations } from '../operator/accounts/operator-account-export.graphql.js';
import {
  OperatorAccountLimitsMutations,
  OperatorLimitsOfAccount,
} from '../operator/accounts/operator-account-limits.graphql.js';
import { OperatorCustomerViewMutations } from '../operator/accounts/operator-customer-view.graphql.js';
import {
  OperatorPriceMutations,
  OperatorPriceQueries,
  OperatorPricesResolver,
} from '../operator/catalogue/operator-price.graphql.js';
import {
  OperatorPriceGroupMutations,
  OperatorPriceGroupOfAccount,
  OperatorPriceGroupQueries,
} from '../operator/catalogue/operator-price-group.graphql.js';
import { OperatorProviderMutations, OperatorProviderQueries } from '../operator/catalogue/operator-provider.graphql.js';
import { OperatorGiftMutations, OperatorGiftQueries } from '../operator/money/operator-gift.graphql.js';
import { OperatorMoneyQueries, OperatorMoneyResolver } from '../operator/money/operator-money.graphql.js';
import { OperatorPaymentMutations, OperatorPaymentQueries } from '../operator/money/operator-payments.graphql.js';
import { OperatorRefundMutations, OperatorRefundQueries } from '../operator/money/operator-refunds.graphql.js';
import {
  OperatorSettlementMutations,
  OperatorSettlementQueries,
} from '../operator/money/operator-settlement.graphql.js';
import { OperatorCreditQueries, OperatorDeskMutations } from '../operator/operator-desk.graphql.js';
import { OperatorRootResolver } from '../operator/operator-root.graphql.js';
import { OperatorPasskeyMutations, OperatorPasskeyQueries } from '../operator/people/operator-passkey.graphql.js';
import { OperatorPeopleMutations, OperatorPeopleQueries } from '../operator/people/operator-people.graphql.js';
import { OperatorTokenMutations, OperatorTokenQueries } from '../operator/people/operator-token.graphql.js';
import {
  OperatorAnnouncementMutations,
  OperatorAnnouncementQueries,
} from '../operator/service/operator-announcement.graphql.js';
import { OperatorProcessesResolver } from '../operator/service/operator-processes.graphql.js';
import {
  OperatorRetentionMutations,
  OperatorRetentionQueries,
} from '../operator/service/operator-retention.graphql.js';
import { OperatorSetupMutations, OperatorSetupQueries } from '../operator/service/operator-setup.graphql.js';
import { OperatorTimesQueries } from '../operator/service/operator-times.graphql.js';
import { OperatorWatchQueries, OperatorWatchResolver } from '../operator/service/operator-watch.graphql.js';
import type { ResolverClass } from './graphql-schema.js';

/** What the operators' part calls. */
export interface OperatorServices {
  readonly people: ConstructorParameters<typeof OperatorPeopleMutations>[0];
  readonly signIns: ConstructorParameters<typeof OperatorPeopleMutations>[1];
  readonly desk: ConstructorParameters<typeof OperatorDeskMutations>[0];
  readonly credits: ConstructorParameters<typeof OperatorDeskMutations>[1];
  readonly support: ConstructorParameters<typeof OperatorDeskMutations>[2];
  readonly findKeyOwner: ConstructorParameters<typeof OperatorDeskMutations>[3];
  readonly accountReads: ConstructorParameters<typeof OperatorAccountQueries>[0];
  readonly log: ConstructorParameters<typeof OperatorAccountQueries>[1];
  readonly watchReads: ConstructorParameters<typeof OperatorWatchResolver>[0];
  readonly processReads: ConstructorParameters<typeof OperatorProcessesResolver>[0];
  readonly money: ConstructorParameters<typeof OperatorMoneyQueries>[0];
  readonly gifts: ConstructorParameters<typeof OperatorGiftMutations>[0];
  readonly settlements: ConstructorParameters<typeof OperatorSettlementMutations>[0];
  readonly refunds: ConstructorParameters<typeof OperatorRefundQueries>[0];
  readonly providers: ConstructorParameters<typeof OperatorProviderMutations>[0];
  readonly prices: ConstructorParameters<typeof OperatorPriceMutations>[0];
  readonly priceGroups: ConstructorParameters<typeof OperatorPriceGroupMutations>[0];
  readonly payments: ConstructorParameters<typeof OperatorPaymentQueries>[0];
  readonly abuseReads: ConstructorParameters<typeof OperatorAbuseQueries>[0];
  readonly abuse: ConstructorParameters<typeof OperatorAbuseMutations>[0];
  readonly riskMarks: ConstructorParameters<typeof OperatorRiskMarkMutations>[0];
  readonly riskHints: ConstructorParameters<typeof OperatorRiskOfAccount>[1];
  readonly signUp: ConstructorParameters<typeof OperatorSignUpQueries>[0];
  readonly accountLimits: ConstructorParameters<typeof OperatorAccountLimitsMutations>[0];
  readonly accountDeletions: ConstructorParameters<typeof OperatorAccountDeletionMutations>[0];
  readonly accountExports: ConstructorParameters<typeof OperatorAccountExportMutations>[0];
  readonly passkeys: ConstructorParameters<typeof OperatorPasskeyMutations>[0];
  readonly tokens: ConstructorParameters<typeof OperatorTokenMutations>[0];
  readonly customerViews: ConstructorParameters<typeof OperatorCustomerViewMutations>[0];
  readonly announcements: ConstructorParameters<typeof OperatorAnnouncementMutations>[0];
  readonly dataRetention: ConstructorParameters<typeof OperatorRetentionMutations>[0];
  readonly setup: ConstructorParameters<typeof OperatorSetupMutations>[0];
  readonly setupFacts: ConstructorParameters<typeof OperatorSetupQueries>[1];
  readonly callTimes: ConstructorParameters<typeof OperatorTimesQueries>[0];
}

/** The edges of the operators' part, and how the one object that serves each of them is made. */
export const operatorEdges: readonly (readonly [ResolverClass, (of: OperatorServices) => object])[] = [
  [OperatorRootResolver, () => new OperatorRootResolver()],
  [OperatorPeopleQueries, (of) => new OperatorPeopleQueries(of.people)],
  [OperatorPeopleMutations, (of) => new OperatorPeopleMutations(of.people, of.signIns)],
  [OperatorCreditQueries, (of) => new OperatorCreditQueries(of.credits)],
  [OperatorDeskMutations, (of) => new OperatorDeskMutations(of.desk, of.credits, of.support, of.findKeyOwner)],
  [OperatorAccountQueries, (of) => new OperatorAccountQueries(of.accountReads, of.log)],
  [OperatorAccountResolver, (of) => new OperatorAccountResolver(of.accountReads, of.log)],
  [OperatorWatchQueries, () => new OperatorWatchQueries()],
  [OperatorWatchResolver, (of) => new OperatorWatchResolver(of.watchReads)],
  [OperatorProcessesResolver, (of) => new OperatorProcessesResolver(of.processReads)],
  [OperatorMoneyQueries, (of) => new OperatorMoneyQueries(of.money)],
  [OperatorMoneyResolver, (of) => new OperatorMoneyResolver(of.money)],
  [OperatorGiftQueries, (of) => new OperatorGiftQueries(of.gifts)],
  [OperatorGiftMutations, (of) => new OperatorGiftMutations(of.gifts)],
  [OperatorSettlementQueries, (of) => new OperatorSettlementQueries(of.settlements)],
  [OperatorSettlementMutations, (of) => new OperatorSettlementMutations(of.settlements)],
  [OperatorRefundQueries, (of) => new OperatorRefundQueries(of.refunds)],
  [OperatorRefundMutations, (of) => new OperatorRefundMutations(of.refunds)],
  [OperatorProviderQueries, (of) => new OperatorProviderQueries(of.providers)],
  [OperatorProviderMutations, (of) => new OperatorProviderMutations(of.providers)],
  [OperatorPriceQueries, (of) => new OperatorPriceQueries(of.prices)],
  [OperatorPriceMutations, (of) => new OperatorPriceMutations(of.prices)],
  [OperatorPricesResolver, (of) => new OperatorPricesResolver(of.prices)],
  [OperatorPriceGroupQueries, (of) => new OperatorPriceGroupQueries(of.priceGroups)],
  [OperatorPriceGroupMutations, (of) => new OperatorPriceGroupMutations(of.priceGroups)],
  [OperatorPriceGroupOfAccount, (of) => new OperatorPriceGroupOfAccount(of.priceGroups)],
  [OperatorPaymentQueries, (of) => new OperatorPaymentQueries(of.payments)],
  [OperatorPaymentMutations, (of) => new OperatorPaymentMutations(of.payments)],
  [OperatorTimesQueries, (of) => new OperatorTimesQueries(of.callTimes)],
  [OperatorAbuseQueries, (of) => new OperatorAbuseQueries(of.abuseReads, of.abuse)],
  [OperatorAbuseResolver, (of) => new OperatorAbuseResolver(of.abuseReads)],
  [OperatorAbuseMutations, (of) => new OperatorAbuseMutations(of.abuse)],
  [OperatorRiskMarkQueries, (of) => new OperatorRiskMarkQueries(of.riskMarks)],
  [OperatorRiskMarkMutations, (of) => new OperatorRiskMarkMutations(of.riskMarks)],
  [OperatorRiskOfAccount, (of) => new OperatorRiskOfAccount(of.riskMarks, of.riskHints)],
  [OperatorSignUpQueries, (of) => new OperatorSignUpQueries(of.signUp)],
  [OperatorSignUpMutations, (of) => new OperatorSignUpMutations(of.signUp)],
  [OperatorLimitsOfAccount, (of) => new OperatorLimitsOfAccount(of.accountLimits)],
  [OperatorAccountLimitsMutations, (of) => new OperatorAccountLimitsMutations(of.accountLimits)],
  [OperatorAccountDeletionMutations, (of) => new OperatorAccountDeletionMutations(of.accountDeletions)],
  [OperatorAccountExportMutations, (of) => new OperatorAccountExportMutations(of.accountExports)],
  [OperatorCustomerViewMutations, (of) => new OperatorCustomerViewMutations(of.customerViews)],
  [OperatorAnnouncementQueries, (of) => new OperatorAnnouncementQueries(of.announcements)],
  [OperatorAnnouncementMutations, (of) => new OperatorAnnouncementMutations(of.announcements)],
  [OperatorRetentionQueries, (of) => new OperatorRetentionQueries(of.dataRetention)],
  [OperatorRetentionMutations, (of) => new OperatorRetentionMutations(of.dataRetention)],
  [OperatorSetupQueries, (of) => new OperatorSetupQueries(of.setup, of.setupFacts)],
  [OperatorSetupMutations, (of) => new OperatorSetupMutations(of.setup)],
  [OperatorTokenQueries, (of) => new OperatorTokenQueries(of.tokens)],
  [OperatorTokenMutations, (of) => new OperatorTokenMutations(of.tokens)],
  [OperatorPasskeyQueries, (of) => new OperatorPasskeyQueries(of.passkeys)],
  [OperatorPasskeyMutations, (of) => new OperatorPasskeyMutations(of.passkeys)],
];
