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

/** The edges of the operators' part. */
export const operatorResolverClasses: readonly ResolverClass[] = [
  OperatorRootResolver,
  OperatorPeopleQueries,
  OperatorPeopleMutations,
  OperatorCreditQueries,
  OperatorDeskMutations,
  OperatorAccountQueries,
  OperatorAccountResolver,
  OperatorWatchQueries,
  OperatorWatchResolver,
  OperatorProcessesResolver,
  OperatorMoneyQueries,
  OperatorMoneyResolver,
  OperatorGiftQueries,
  OperatorGiftMutations,
  OperatorSettlementQueries,
  OperatorSettlementMutations,
  OperatorRefundQueries,
  OperatorRefundMutations,
  OperatorProviderQueries,
  OperatorProviderMutations,
  OperatorPriceQueries,
  OperatorPriceMutations,
  OperatorPricesResolver,
  OperatorPriceGroupQueries,
  OperatorPriceGroupMutations,
  OperatorPriceGroupOfAccount,
  OperatorPaymentQueries,
  OperatorPaymentMutations,
  OperatorTimesQueries,
  OperatorAbuseQueries,
  OperatorAbuseResolver,
  OperatorAbuseMutations,
  OperatorRiskMarkQueries,
  OperatorRiskMarkMutations,
  OperatorRiskOfAccount,
  OperatorSignUpQueries,
  OperatorSignUpMutations,
  OperatorLimitsOfAccount,
  OperatorAccountLimitsMutations,
  OperatorAccountDeletionMutations,
  OperatorAccountExportMutations,
  OperatorCustomerViewMutations,
  OperatorAnnouncementQueries,
  OperatorAnnouncementMutations,
  OperatorRetentionQueries,
  OperatorRetentionMutations,
  OperatorSetupQueries,
  OperatorSetupMutations,
  OperatorTokenQueries,
  OperatorTokenMutations,
  OperatorPasskeyQueries,
  OperatorPasskeyMutations,
];

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

/** Makes the one object that serves each of them. */
export function listOperatorResolvers(services: OperatorServices): [ResolverClass, object][] {
  const { people, signIns, desk, credits, support, findKeyOwner, accountReads, log } = services;
  return [
    [OperatorRootResolver, new OperatorRootResolver()],
    [OperatorPeopleQueries, new OperatorPeopleQueries(people)],
    [OperatorPeopleMutations, new OperatorPeopleMutations(people, signIns)],
    [OperatorCreditQueries, new OperatorCreditQueries(credits)],
    [OperatorDeskMutations, new OperatorDeskMutations(desk, credits, support, findKeyOwner)],
    [OperatorAccountQueries, new OperatorAccountQueries(accountReads, log)],
    [OperatorAccountResolver, new OperatorAccountResolver(accountReads, log)],
    [OperatorWatchQueries, new OperatorWatchQueries()],
    [OperatorWatchResolver, new OperatorWatchResolver(services.watchReads)],
    [OperatorProcessesResolver, new OperatorProcessesResolver(services.processReads)],
    [OperatorMoneyQueries, new OperatorMoneyQueries(services.money)],
    [OperatorMoneyResolver, new OperatorMoneyResolver(services.money)],
    [OperatorGiftQueries, new OperatorGiftQueries(services.gifts)],
    [OperatorGiftMutations, new OperatorGiftMutations(services.gifts)],
    [OperatorSettlementQueries, new OperatorSettlementQueries(services.settlements)],
    [OperatorSettlementMutations, new OperatorSettlementMutations(services.settlements)],
    [OperatorRefundQueries, new OperatorRefundQueries(services.refunds)],
    [OperatorRefundMutations, new OperatorRefundMutations(services.refunds)],
    [OperatorProviderQueries, new OperatorProviderQueries(services.providers)],
    [OperatorProviderMutations, new OperatorProviderMutations(services.providers)],
    [OperatorPriceQueries, new OperatorPriceQueries(services.prices)],
    [OperatorPriceMutations, new OperatorPriceMutations(services.prices)],
    [OperatorPricesResolver, new OperatorPricesResolver(services.prices)],
    [OperatorPriceGroupQueries, new OperatorPriceGroupQueries(services.priceGroups)],
    [OperatorPriceGroupMutations, new OperatorPriceGroupMutations(services.priceGroups)],
    [OperatorPriceGroupOfAccount, new OperatorPriceGroupOfAccount(services.priceGroups)],
    [OperatorPaymentQueries, new OperatorPaymentQueries(services.payments)],
    [OperatorPaymentMutations, new OperatorPaymentMutations(services.payments)],
    [OperatorTimesQueries, new OperatorTimesQueries(services.callTimes)],
    [OperatorAbuseQueries, new OperatorAbuseQueries(services.abuseReads, services.abuse)],
    [OperatorAbuseResolver, new OperatorAbuseResolver(services.abuseReads)],
    [OperatorAbuseMutations, new OperatorAbuseMutations(services.abuse)],
    [OperatorRiskMarkQueries, new OperatorRiskMarkQueries(services.riskMarks)],
    [OperatorRiskMarkMutations, new OperatorRiskMarkMutations(services.riskMarks)],
    [OperatorRiskOfAccount, new OperatorRiskOfAccount(services.riskMarks, services.riskHints)],
    [OperatorSignUpQueries, new OperatorSignUpQueries(services.signUp)],
    [OperatorSignUpMutations, new OperatorSignUpMutations(services.signUp)],
    [OperatorLimitsOfAccount, new OperatorLimitsOfAccount(services.accountLimits)],
    [OperatorAccountLimitsMutations, new OperatorAccountLimitsMutations(services.accountLimits)],
    [OperatorAccountDeletionMutations, new OperatorAccountDeletionMutations(services.accountDeletions)],
    [OperatorAccountExportMutations, new OperatorAccountExportMutations(services.accountExports)],
    [OperatorCustomerViewMutations, new OperatorCustomerViewMutations(services.customerViews)],
    [OperatorAnnouncementQueries, new OperatorAnnouncementQueries(services.announcements)],
    [OperatorAnnouncementMutations, new OperatorAnnouncementMutations(services.announcements)],
    [OperatorRetentionQueries, new OperatorRetentionQueries(services.dataRetention)],
    [OperatorRetentionMutations, new OperatorRetentionMutations(services.dataRetention)],
    [OperatorSetupQueries, new OperatorSetupQueries(services.setup, services.setupFacts)],
    [OperatorSetupMutations, new OperatorSetupMutations(services.setup)],
    [OperatorTokenQueries, new OperatorTokenQueries(services.tokens)],
    [OperatorTokenMutations, new OperatorTokenMutations(services.tokens)],
    [OperatorPasskeyQueries, new OperatorPasskeyQueries(services.passkeys)],
    [OperatorPasskeyMutations, new OperatorPasskeyMutations(services.passkeys)],
  ];
}
