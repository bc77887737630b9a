import { AccountEntity } from './accounts/account.entity.js';
import { LinkedIdentityEntity } from './accounts/identities/linked-identity.entity.js';
import { AccountLinkEntity } from './accounts/recovery/account-link.entity.js';
import { KnownDeviceEntity } from './accounts/sign-in/known-device.entity.js';
import { SessionEntity } from './accounts/sign-in/session.entity.js';
import { EmailVerificationEntity } from './accounts/sign-up/email-verification.entity.js';
import { SignUpBlockEntity } from './accounts/sign-up/sign-up-block.entity.js';
import { SignUpInvitationEntity } from './accounts/sign-up/sign-up-invitation.entity.js';
import { SignupGiftEntity } from './accounts/sign-up/signup-gift.entity.js';
import { SignupGiftCountEntity } from './accounts/sign-up/signup-gift-count.entity.js';
import { SignupGiftRequestEntity } from './accounts/sign-up/signup-gift-request.entity.js';
import { BalanceAlertEntity } from './alerts/balance-alert.entity.js';
import { ToldFillingEntity } from './alerts/told-filling.entity.js';
import { AnnouncementEntity } from './announcements/announcement.entity.js';
import { AccountEventEntity } from './audit/account-event.entity.js';
import { CatalogueRevisionEntity } from './catalogue/catalogue-revision.entity.js';
import { PriceGroupEntity } from './catalogue/price-group.entity.js';
import { PriceVersionEntity } from './catalogue/price-version.entity.js';
import { PricedAccountEntity } from './catalogue/priced-account.entity.js';
import { ProviderKeyEntity } from './catalogue/provider-key.entity.js';
import { ProviderSettingEntity } from './catalogue/provider-setting.entity.js';
import { InitialSchema1795132800000 } from './database/migrations/0001-initial-schema.js';
import { IdempotentAnswers1795219200000 } from './database/migrations/0002-idempotent-answers.js';
import { PurchaseReversals1795305600000 } from './database/migrations/0003-purchase-reversals.js';
import { Routing1795392000000 } from './database/migrations/0004-routing.js';
import { TopUpsAndNotices1795478400000 } from './database/migrations/0005-top-ups-and-notices.js';
import { KeyPermissions1795564800000 } from './database/migrations/0006-key-permissions.js';
import { AccountLife1795651200000 } from './database/migrations/0007-account-life.js';
import { OneIndexLessForHolds1795737600000 } from './database/migrations/0008-one-index-less-for-holds.js';
import { EstimateParts1795910400000 } from './database/migrations/0010-estimate-parts.js';
import { Strangers1795996800000 } from './database/migrations/0011-strangers.js';
import { AttemptCounts1796169600000 } from './database/migrations/0013-attempt-counts.js';
import { ReplicaMark1796256000000 } from './database/migrations/0014-replica-mark.js';
import { WalletLeases1796342400000 } from './database/migrations/0015-wallet-leases.js';
import { KeyChanges1796428800000 } from './database/migrations/0016-key-changes.js';
import { TokensAndTags1796515200000 } from './database/migrations/0017-tokens-and-tags.js';
import { AccountEvents1796601600000 } from './database/migrations/0018-account-events.js';
import { AccountRecovery1796688000000 } from './database/migrations/0019-account-recovery.js';
import { SecondFactors1796774400000 } from './database/migrations/0020-second-factors.js';
import { Passkeys1796860800000 } from './database/migrations/0021-passkeys.js';
import { Refusals1796947200000 } from './database/migrations/0022-refusals.js';
import { OperatorLog1797033600000 } from './database/migrations/0023-operator-log.js';
import { KeyLeases1797120000000 } from './database/migrations/0024-key-leases.js';
import { LinkedIdentities1797292800000 } from './database/migrations/0026-linked-identities.js';
import { Members1797379200000 } from './database/migrations/0027-members.js';
import { Invitations1797465600000 } from './database/migrations/0028-invitations.js';
import { ReceiptLinks1797552000000 } from './database/migrations/0029-receipt-links.js';
import { Operators1797724800000 } from './database/migrations/0031-operators.js';
import { WhatOperatorsSearch1797811200000 } from './database/migrations/0032-what-operators-search.js';
import { SealedMonths1797897600000 } from './database/migrations/0033-sealed-months.js';
import { MemberBudgets1797984000000 } from './database/migrations/0034-member-budgets.js';
import { JournalHours1798070400000 } from './database/migrations/0035-journal-hours.js';
import { RefundOrders1798156800000 } from './database/migrations/0036-refund-orders.js';
import { RuntimeCatalogue1798243200000 } from './database/migrations/0037-runtime-catalogue.js';
import { PriceVersions1798329600000 } from './database/migrations/0038-price-versions.js';
import { AlertsOfUse1798416000000 } from './database/migrations/0039-alerts-of-use.js';
import { SignUpBlocks1798502400000 } from './database/migrations/0040-sign-up-blocks.js';
import { UsageSets1798675200000 } from './database/migrations/0042-usage-sets.js';
import { InvitationsAndKeyNetworks1798761600000 } from './database/migrations/0043-invitations-and-key-networks.js';
import { PriceMultipliers1798934400000 } from './database/migrations/0045-price-multipliers.js';
import { PriceGroups1799020800000 } from './database/migrations/0046-price-groups.js';
import { PartsOfTokens1799107200000 } from './database/migrations/0047-parts-of-tokens.js';
import { WebhookAttempts1799193600000 } from './database/migrations/0048-webhook-attempts.js';
import { Announcements1799280000000 } from './database/migrations/0049-announcements.js';
import { AccountLimits1799366400000 } from './database/migrations/0050-account-limits.js';
import { UsageTotals1799452800000 } from './database/migrations/0051-usage-totals.js';
import { AccountModels1799539200000 } from './database/migrations/0052-account-models.js';
import { CustomerViews1799625600000 } from './database/migrations/0053-customer-views.js';
import { AccountRiskMarks1799712000000 } from './database/migrations/0054-account-risk-marks.js';
import { OperatorTokens1799798400000 } from './database/migrations/0055-operator-tokens.js';
import { InstanceReports1799884800000 } from './database/migrations/0056-instance-reports.js';
import { SavedItems1799971200000 } from './database/migrations/0057-saved-items.js';
import { WebhookEndpoints1800230400000 } from './database/migrations/0060-webhook-endpoints.js';
import { SumsOfTokenParts1800316800000 } from './database/migrations/0061-sums-of-token-parts.js';
import { OperatorPasskeys1800662400000 } from './database/migrations/0065-operator-passkeys.js';
import { PersonalItems1800835200000 } from './database/migrations/0067-personal-items.js';
import { ReceiptRetention1800921600000 } from './database/migrations/0068-receipt-retention.js';
import { BeginKeyChangeCount1801008000000 } from './database/migrations/0069-begin-key-change-count.js';
import { SignupGiftRequests1801094400000 } from './database/migrations/0070-signup-gift-requests.js';
import { CardPayers1801267200000 } from './database/migrations/0072-card-payers.js';
import { AcceptedInvitations1801353600000 } from './database/migrations/0073-accepted-invitations.js';
import { PackedUsageSets1801526400000 } from './database/migrations/0075-packed-usage-sets.js';
import { ToldFillings1801612800000 } from './database/migrations/0076-told-fillings.js';
import { ComparedPurchases1801699200000 } from './database/migrations/0077-compared-purchases.js';
import { ReplicaMarkEntity } from './database/replica-mark.entity.js';
import { AuthenticatorAppEntity } from './factors/authenticator-app.entity.js';
import { FactorRecoveryEntity } from './factors/factor-recovery.entity.js';
import { PasskeyEntity } from './factors/passkeys/passkey.entity.js';
import { PendingProofEntity } from './factors/pending-proof.entity.js';
import { RecoveryCodeEntity } from './factors/recovery-code.entity.js';
import { GiftCodeEntity } from './gifts/gift-code.entity.js';
import { IdempotentAnswerEntity } from './idempotency/idempotent-answer.entity.js';
import { InstanceReportEntity } from './instances/instance-report.entity.js';
import { ApiKeyEntity } from './keys/api-key.entity.js';
import { KeyChangeEntity } from './keys/changes/key-change.entity.js';
import { KeyChangeCountEntity } from './keys/changes/key-change-count.entity.js';
import { RunningInstanceEntity } from './keys/changes/running-instance.entity.js';
import { KeyNetworkEntity } from './keys/key-network.entity.js';
import { CallRecordEntity } from './ledger/tables/call-record.entity.js';
import { KeySpendEntity } from './ledger/tables/key-spend.entity.js';
import { LedgerAccountEntity } from './ledger/tables/ledger-account.entity.js';
import { LedgerHoldEntity } from './ledger/tables/ledger-hold.entity.js';
import { LedgerHourEntity } from './ledger/tables/ledger-hour.entity.js';
import { LedgerTransferEntity } from './ledger/tables/ledger-transfer.entity.js';
import { ReceiptRetentionEntity } from './ledger/tables/receipt-retention.entity.js';
import { SealedMonthEntity } from './ledger/tables/sealed-month.entity.js';
import { UsageHourEntity } from './ledger/tables/usage-hour.entity.js';
import { UsageLateEntity } from './ledger/tables/usage-late.entity.js';
import { WalletLeaseEntity } from './ledger/tables/wallet-lease.entity.js';
import { AccountLimitEntity } from './limits/account-limit.entity.js';
import { AttemptCountEntity } from './limits/attempt-count.entity.js';
import { RequestMinuteEntity } from './limits/request-minute.entity.js';
import { TokenMinuteEntity } from './limits/token-minute.entity.js';
import { AcceptedInvitationEntity } from './members/accepted-invitation.entity.js';
import { InvitationEntity } from './members/invitation.entity.js';
import { MembershipEntity } from './members/membership.entity.js';
import { NoticeEntity } from './notices/notice.entity.js';
import { NoticeReadEntity } from './notices/notice-read.entity.js';
import { AccountRiskMarkEntity } from './operator/abuse/account-risk-mark.entity.js';
import { CustomerViewEntity } from './operator/accounts/customer-view.entity.js';
import { CreditRequestEntity } from './operator/money/credit-request.entity.js';
import { OperatorEventEntity } from './operator/operator-event.entity.js';
import { OperatorEntity } from './operator/people/operator.entity.js';
import { OperatorInvitationEntity } from './operator/people/operator-invitation.entity.js';
import { OperatorPasskeyEntity } from './operator/people/operator-passkey.entity.js';
import { OperatorSessionEntity } from './operator/people/operator-session.entity.js';
import { OperatorTokenEntity } from './operator/people/operator-token.entity.js';
import { purchaseEntities } from './purchases/purchase-entities.js';
import { PersonalItemEntity } from './saved-items/personal-item.entity.js';
import { SavedItemEntity } from './saved-items/saved-item.entity.js';
import { AutoTopUpEntity } from './top-ups/auto-top-up.entity.js';
import { AutoTopUpChargeEntity } from './top-ups/auto-top-up-charge.entity.js';
import { CardToForgetEntity } from './top-ups/card-to-forget.entity.js';
import { AccountMonthEntity } from './totals/account-month.entity.js';
import { AccountPartEntity } from './totals/account-part.entity.js';
import { TotalsMarkEntity } from './totals/totals-mark.entity.js';
import { UsageTotalEntity } from './totals/usage-total.entity.js';
import { ReceiptLinkEntity } from './usage/requests/receipt-link.entity.js';
import { RefusalEntity } from './usage/requests/refusal.entity.js';
import { sumEntities } from './usage/sums/sum-entities.js';
import { WebhookCallLookEntity } from './webhooks/webhook-call-look.entity.js';
import { WebhookEndpointEntity } from './webhooks/webhook-endpoint.entity.js';

/** Every table that the code reads and writes. */
export const entities = [
  AccountEntity,
  SessionEntity,
  KnownDeviceEntity,
  EmailVerificationEntity,
  AccountLinkEntity,
  AccountEventEntity,
  MembershipEntity,
  AcceptedInvitationEntity,
  InvitationEntity,
  AuthenticatorAppEntity,
  RecoveryCodeEntity,
  PendingProofEntity,
  PasskeyEntity,
  FactorRecoveryEntity,
  LinkedIdentityEntity,
  ApiKeyEntity,
  ...purchaseEntities,
  LedgerAccountEntity,
  LedgerTransferEntity,
  LedgerHoldEntity,
  LedgerHourEntity,
  KeySpendEntity,
  CallRecordEntity,
  UsageHourEntity,
  UsageLateEntity,
  UsageTotalEntity,
  AccountMonthEntity,
  AccountPartEntity,
  TotalsMarkEntity,
  WalletLeaseEntity,
  SealedMonthEntity,
  IdempotentAnswerEntity,
  RequestMinuteEntity,
  TokenMinuteEntity,
  AttemptCountEntity,
  AutoTopUpEntity,
  AutoTopUpChargeEntity,
  CardToForgetEntity,
  BalanceAlertEntity,
  ToldFillingEntity,
  GiftCodeEntity,
  NoticeEntity,
  SignupGiftEntity,
  SignupGiftCountEntity,
  SignupGiftRequestEntity,
  ReplicaMarkEntity,
  OperatorEventEntity,
  OperatorEntity,
  OperatorSessionEntity,
  OperatorTokenEntity,
  OperatorPasskeyEntity,
  OperatorInvitationEntity,
  CreditRequestEntity,
  CustomerViewEntity,
  InstanceReportEntity,
  KeyChangeCountEntity,
  KeyChangeEntity,
  RunningInstanceEntity,
  RefusalEntity,
  ReceiptLinkEntity,
  CatalogueRevisionEntity,
  ProviderSettingEntity,
  ProviderKeyEntity,
  PriceVersionEntity,
  PriceGroupEntity,
  PricedAccountEntity,
  NoticeReadEntity,
  SignUpBlockEntity,
  SignUpInvitationEntity,
  KeyNetworkEntity,
  WebhookEndpointEntity,
  WebhookCallLookEntity,
  AnnouncementEntity,
  AccountLimitEntity,
  SavedItemEntity,
  PersonalItemEntity,
  AccountRiskMarkEntity,
  ReceiptRetentionEntity,
  ...sumEntities,
];

/** The only way in which the schema changes, oldest first. */
export const migrations = [
  InitialSchema1795132800000,
  IdempotentAnswers1795219200000,
  PurchaseReversals1795305600000,
  Routing1795392000000,
  TopUpsAndNotices1795478400000,
  KeyPermissions1795564800000,
  AccountLife1795651200000,
  OneIndexLessForHolds1795737600000,
  EstimateParts1795910400000,
  Strangers1795996800000,
  AttemptCounts1796169600000,
  ReplicaMark1796256000000,
  WalletLeases1796342400000,
  KeyChanges1796428800000,
  TokensAndTags1796515200000,
  AccountEvents1796601600000,
  AccountRecovery1796688000000,
  SecondFactors1796774400000,
  Passkeys1796860800000,
  Refusals1796947200000,
  OperatorLog1797033600000,
  KeyLeases1797120000000,
  LinkedIdentities1797292800000,
  Members1797379200000,
  Invitations1797465600000,
  ReceiptLinks1797552000000,
  Operators1797724800000,
  WhatOperatorsSearch1797811200000,
  SealedMonths1797897600000,
  MemberBudgets1797984000000,
  JournalHours1798070400000,
  RefundOrders1798156800000,
  RuntimeCatalogue1798243200000,
  PriceVersions1798329600000,
  AlertsOfUse1798416000000,
  SignUpBlocks1798502400000,
  UsageSets1798675200000,
  InvitationsAndKeyNetworks1798761600000,
  PriceMultipliers1798934400000,
  PriceGroups1799020800000,
  PartsOfTokens1799107200000,
  WebhookAttempts1799193600000,
  Announcements1799280000000,
  AccountLimits1799366400000,
  UsageTotals1799452800000,
  AccountModels1799539200000,
  CustomerViews1799625600000,
  OperatorTokens1799798400000,
  AccountRiskMarks1799712000000,
  InstanceReports1799884800000,
  SavedItems1799971200000,
  WebhookEndpoints1800230400000,
  SumsOfTokenParts1800316800000,
  OperatorPasskeys1800662400000,
  PersonalItems1800835200000,
  ReceiptRetention1800921600000,
  BeginKeyChangeCount1801008000000,
  SignupGiftRequests1801094400000,
  CardPayers1801267200000,
  AcceptedInvitations1801353600000,
  PackedUsageSets1801526400000,
  ToldFillings1801612800000,
  ComparedPurchases1801699200000,
];
