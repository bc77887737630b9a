import { AccountEntity } from './accounts/account.entity.js';
import { EmailVerificationEntity } from './accounts/email-verification.entity.js';
import { KnownDeviceEntity } from './accounts/known-device.entity.js';
import { AccountLinkEntity } from './accounts/recovery/account-link.entity.js';
import { SessionEntity } from './accounts/session.entity.js';
import { SignupGiftEntity } from './accounts/signup-gift.entity.js';
import { SignupGiftCountEntity } from './accounts/signup-gift-count.entity.js';
import { AccountEventEntity } from './audit/account-event.entity.js';
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
import { ReplicaMarkEntity } from './database/replica-mark.entity.js';
import { AuthenticatorAppEntity } from './factors/authenticator-app.entity.js';
import { FactorRecoveryEntity } from './factors/factor-recovery.entity.js';
import { PasskeyEntity } from './factors/passkey.entity.js';
import { PendingProofEntity } from './factors/pending-proof.entity.js';
import { RecoveryCodeEntity } from './factors/recovery-code.entity.js';
import { IdempotentAnswerEntity } from './idempotency/idempotent-answer.entity.js';
import { ApiKeyEntity } from './keys/api-key.entity.js';
import { KeyChangeEntity } from './keys/key-change.entity.js';
import { KeyChangeCountEntity } from './keys/key-change-count.entity.js';
import { RunningInstanceEntity } from './keys/running-instance.entity.js';
import { CallRecordEntity } from './ledger/call-record.entity.js';
import { KeySpendEntity } from './ledger/key-spend.entity.js';
import { LedgerAccountEntity } from './ledger/ledger-account.entity.js';
import { LedgerHoldEntity } from './ledger/ledger-hold.entity.js';
import { LedgerTransferEntity } from './ledger/ledger-transfer.entity.js';
import { UsageHourEntity } from './ledger/usage-hour.entity.js';
import { WalletLeaseEntity } from './ledger/wallet-lease.entity.js';
import { AttemptCountEntity } from './limits/attempt-count.entity.js';
import { RequestMinuteEntity } from './limits/request-minute.entity.js';
import { TokenMinuteEntity } from './limits/token-minute.entity.js';
import { NoticeEntity } from './notices/notice.entity.js';
import { OperatorEventEntity } from './operator/operator-event.entity.js';
import { AutoTopUpEntity } from './purchases/auto-top-up.entity.js';
import { AutoTopUpChargeEntity } from './purchases/auto-top-up-charge.entity.js';
import { BalanceAlertEntity } from './purchases/balance-alert.entity.js';
import { GiftCodeEntity } from './purchases/gift-code.entity.js';
import { PurchaseEntity } from './purchases/purchase.entity.js';
import { PurchaseReversalEntity } from './purchases/purchase-reversal.entity.js';
import { SimulatedCheckoutEntity } from './purchases/simulated-checkout.entity.js';
import { StripeCustomerEntity } from './purchases/stripe-customer.entity.js';
import { StripeEventEntity } from './purchases/stripe-event.entity.js';
import { RefusalEntity } from './usage/refusal.entity.js';

/** Every table that the code reads and writes. */
export const entities = [
  AccountEntity,
  SessionEntity,
  KnownDeviceEntity,
  EmailVerificationEntity,
  AccountLinkEntity,
  AccountEventEntity,
  AuthenticatorAppEntity,
  RecoveryCodeEntity,
  PendingProofEntity,
  PasskeyEntity,
  FactorRecoveryEntity,
  ApiKeyEntity,
  PurchaseEntity,
  PurchaseReversalEntity,
  SimulatedCheckoutEntity,
  StripeCustomerEntity,
  StripeEventEntity,
  LedgerAccountEntity,
  LedgerTransferEntity,
  LedgerHoldEntity,
  KeySpendEntity,
  CallRecordEntity,
  UsageHourEntity,
  WalletLeaseEntity,
  IdempotentAnswerEntity,
  RequestMinuteEntity,
  TokenMinuteEntity,
  AttemptCountEntity,
  AutoTopUpEntity,
  AutoTopUpChargeEntity,
  BalanceAlertEntity,
  GiftCodeEntity,
  NoticeEntity,
  SignupGiftEntity,
  SignupGiftCountEntity,
  ReplicaMarkEntity,
  OperatorEventEntity,
  KeyChangeCountEntity,
  KeyChangeEntity,
  RunningInstanceEntity,
  RefusalEntity,
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
];
