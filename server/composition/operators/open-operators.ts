import { findAccountFacts, findAccountsByEmail, findAccountsByName } from '../../accounts/find-accounts.js';
import type { PasswordResets } from '../../accounts/recovery/password-resets.js';
import { Passwords } from '../../accounts/sign-in/passwords.js';
import type { SessionService } from '../../accounts/sign-in/session-service.js';
import { SignInThrottle } from '../../accounts/sign-in/sign-in-throttle.js';
import type { SignUpBlocks } from '../../accounts/sign-up/sign-up-blocks.js';
import type { SignUpInvitations } from '../../accounts/sign-up/sign-up-invitations.js';
import type { Config } from '../../config/config.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { CodeThrottle } from '../../factors/code-throttle.js';
import { Passkeys } from '../../factors/passkeys/passkeys.js';
import { PendingProofs } from '../../factors/pending-proofs.js';
import { SecretBox } from '../../factors/secret-box.js';
import { listReportedInstances } from '../../instances/instance-reports.js';
import type { OpenAttemptCounter } from '../../kernel/attempt-counter.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import type { ApiKeyService } from '../../keys/api-key-service.js';
import { listInstances } from '../../keys/changes/list-instances.js';
import { findKeyOwner, findOwnersOfShownKey } from '../../keys/find-key-owner.js';
import type { LedgerAuditor } from '../../ledger/checks/ledger-auditor.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { LedgerReader } from '../../ledger/ledger-reader.js';
import { findCallOwner } from '../../ledger/receipts/find-call-owner.js';
import { SettlementDecisions } from '../../ledger/settlements/settlement-decisions.js';
import { createMailer, type Mail } from '../../notices/mailer.js';
import { NoticeDesk } from '../../notices/notice-desk.js';
import type { Outbox } from '../../notices/outbox.js';
import { AbuseDesk } from '../../operator/abuse/abuse-desk.js';
import { SignUpDesk } from '../../operator/abuse/sign-up-desk.js';
import { AccountDeletionDesk, type AccountDeletionDeskParts } from '../../operator/accounts/account-deletion-desk.js';
import { AccountDesk } from '../../operator/accounts/account-desk.js';
import { AccountExportDesk } from '../../operator/accounts/account-export-desk.js';
import { type AccountFinderParts, findAccounts } from '../../operator/accounts/account-finder.js';
import type { AccountLimitDesk } from '../../operator/accounts/account-limit-desk.js';
import { CustomerViews } from '../../operator/accounts/customer-views.js';
import type { AccountReads } from '../../operator/accounts/operator-account.graphql.js';
import { SupportDesk } from '../../operator/accounts/support-desk.js';
import type { PriceDesk } from '../../operator/catalogue/price-desk.js';
import type { PriceGroupDesk } from '../../operator/catalogue/price-group-desk.js';
import type { ProviderDesk } from '../../operator/catalogue/provider-desk.js';
import { CreditDesk, type CreditDeskParts } from '../../operator/money/credit-desk.js';
import { GiftDesk } from '../../operator/money/gift-desk.js';
import { PaymentDesk } from '../../operator/money/payment-desk.js';
import { RefundDesk } from '../../operator/money/refund-desk.js';
import { SettlementDesk } from '../../operator/money/settlement-desk.js';
import { OperatorLog } from '../../operator/operator-log.js';
import { OperatorPasskeys, passkeysOfOperators } from '../../operator/people/operator-passkeys.js';
import { OperatorPeople } from '../../operator/people/operator-people.js';
import { OperatorSessions } from '../../operator/people/operator-sessions.js';
import { OperatorSignIn } from '../../operator/people/operator-sign-in.js';
import { OperatorTokens } from '../../operator/people/operator-tokens.js';
import type { AnnouncementDesk } from '../../operator/service/announcement-desk.js';
import type { WatchReads } from '../../operator/service/operator-watch.graphql.js';
import { SetupDesk } from '../../operator/service/setup-desk.js';
import type { ModelCatalogue } from '../../providers/model-catalogue.js';
import type { ProviderOverlay } from '../../providers/settings/provider-overlay.js';
import { findPaymentOwner, findPurchaseOwner } from '../../purchases/find-purchase-owner.js';
import { listQuarantinedEvents } from '../../purchases/quarantined-events.js';
import { tryStripeEvent } from '../../purchases/stripe/stripe-test-event.js';
import type { UsageTotalsParts } from '../../totals/usage-totals.js';
import { CallTimesReader } from '../../usage/reports/call-times.js';
import type { CallReader } from '../../usage/requests/call-reader.js';
import { openMoney } from '../open-money.js';
import type { Purchases } from '../open-purchases.js';
import { examineRunning } from './doctor.js';
import { openRetentionDesk } from './open-retention-desk.js';
import { openRiskDesk } from './open-risk-marks.js';

/** What finds accounts, on a database. */
export function openAccountFinder({ reader }: Pick<UnitOfWork, 'reader'>) {
  const ownerOf = {
    account: async (id: string) => (await findAccountFacts(reader, id))?.id ?? null,
    key: (id: string) => findKeyOwner(reader, id),
    call: (id: string) => findCallOwner(reader, id),
    purchase: (id: string) => findPurchaseOwner(reader, id),
  };
  const parts: AccountFinderParts = {
    ownerOf,
    findByEmail: (beginning, first) => findAccountsByEmail(reader, beginning, first),
    findByName: (beginning, first) => findAccountsByName(reader, beginning, first),
    findByShownKey: (text, first) => findOwnersOfShownKey(reader, text, first),
    findByPayment: (id) => findPaymentOwner(reader, id),
  };
  return { ownerOf, findAccounts: (text: string) => findAccounts(parts, text) };
}

export interface OperatorsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly openCounter: OpenAttemptCounter;
  readonly findBelievedMs: CreditDeskParts['findBelievedMs'];
}

/** Operators as people. @param actor Who works here when nobody is signed in. */
export function openOperatorPeople(
  parts: Pick<OperatorsParts, 'unitOfWork' | 'clock'>,
  config: Pick<Config, 'publicUrl' | 'secretsKey' | 'database'>,
  actor: string,
) {
  const { clock, unitOfWork } = parts;
  const sessions = new OperatorSessions(unitOfWork, clock);
  const shared = { ...parts, sessions, passwords: new Passwords(), secretBox: new SecretBox(config) };
  const log = new OperatorLog(unitOfWork, clock, actor);
  const people = new OperatorPeople({ ...shared, log, publicUrl: config.publicUrl });
  return { shared, log, people, sessions };
}

/** Who may sign up, as accounts keep it. */
export interface SignUpKeepers {
  readonly signUpBlocks: SignUpBlocks;
  readonly signUpInvitations: SignUpInvitations;
}

/** What operators set of who may sign up. */
export function openSignUpDesks(
  { signUpBlocks: blocks, signUpInvitations: invitations }: SignUpKeepers,
  { mail }: Pick<Config, 'mail'>,
  log: OperatorLog,
) {
  return {
    abuse: new AbuseDesk({ log, blocks }),
    signUp: new SignUpDesk({ log, blocks, invitations, isMailSent: mail !== null }),
  };
}

/** What the operators' part asks of the others. */
export interface OperatorsOf extends SignUpKeepers {
  readonly books: Pick<Ledger, 'grantCredits' | 'reverseGrant' | 'setWalletState'>;
  readonly ledger: Pick<Ledger, 'findSettlementStanding' | 'bookAgain'>;
  readonly auditor: Pick<LedgerAuditor, 'audit'>;
  readonly keys: ApiKeyService;
  readonly sessions: SessionService;
  readonly resets: PasswordResets;
  readonly deletion: AccountDeletionDeskParts['deletion'];
  readonly outbox: Pick<Outbox, 'put'>;
  readonly ledgerReader: LedgerReader;
  readonly shop: Pick<Purchases, 'refunds' | 'service' | 'notices' | 'reconciler' | 'giftCodes' | 'findTakeBackWrites'>;
  readonly calls: Pick<CallReader, 'listCalls'>;
  /** What providers are set by, whose changes stand in this log. */
  readonly openDesk: (log: OperatorLog) => ProviderDesk;
  readonly openPriceDesk: (log: OperatorLog) => PriceDesk;
  readonly listCosts: UsageTotalsParts['listCosts'];
  readonly openPriceGroupDesk: (log: OperatorLog) => PriceGroupDesk;
  readonly openAccountLimitDesk: (log: OperatorLog, listModels: () => readonly string[]) => AccountLimitDesk;
  readonly openAnnouncementDesk: (log: OperatorLog) => AnnouncementDesk;
  /** What is offered now. */
  readonly catalogue: ModelCatalogue;
  /** What operators have set of providers; null: it was not read yet. */
  readonly findOverlay: () => ProviderOverlay | null;
}

/** All that operators look at and change over GraphQL. Starts nothing. */
export function openOperators(parts: OperatorsParts, config: Config, of: OperatorsOf) {
  const { clock, openCounter, unitOfWork } = parts;
  const { shared, log, people, sessions } = openOperatorPeople(parts, config, 'this server');
  // Under names of their own, so that what customers and strangers fail at closes no operator's way in.
  const openOwn: OpenAttemptCounter = (rule) => openCounter({ ...rule, kind: `operator ${rule.kind}` });
  const throttles = { throttle: new SignInThrottle(openOwn), codeThrottle: new CodeThrottle(openOwn) };
  const { findTakeBackWrites } = of.shop;
  const desk = new AccountDesk({ ledger: of.books, keys: of.keys, log, unitOfWork, findTakeBackWrites });
  const { ownerOf, findAccounts: find } = openAccountFinder(unitOfWork);
  const notices = new NoticeDesk(unitOfWork, clock);
  const { reader } = unitOfWork;
  const findOpen = async (id: string) => {
    const account = await findAccountFacts(reader, id);
    return account?.closedAtMs === null ? account : null;
  };
  const aloneMaxMillicredits = config.operatorAloneMillicredits;
  const hasAccount = async (id: string) => (await findOpen(id)) !== null;
  const findEmail = async (id: string) => (await findOpen(id))?.email ?? null;
  return {
    people,
    sessions,
    log,
    desk,
    passkeys: openOperatorPasskeys({ ...parts, openCounter: openOwn }, { sessions, log }, config),
    signIns: new OperatorSignIn({ ...parts, ...shared, ...throttles, log }),
    credits: new CreditDesk({ ...parts, desk, log, hasAccount, aloneMaxMillicredits }),
    support: new SupportDesk({
      log,
      findEmail,
      endAllSessions: (id, also) => of.sessions.endAllSessions(id, also),
      createResetLinkFor: (email, also) => of.resets.createLinkFor(email, also),
      resendNotice: (id, also) => notices.resend(id, also),
    }),
    customerViews: new CustomerViews({ unitOfWork, clock, log, sessions, findEmail, outbox: of.outbox }),
    accountDeletions: new AccountDeletionDesk({
      ...{ log, findEmail, deletion: of.deletion },
      findBalance: (id) => of.ledgerReader.findBalance(id),
    }),
    tokens: new OperatorTokens({ unitOfWork, clock, log }),
    accountExports: new AccountExportDesk({ unitOfWork, clock, log, findEmail }),
    findKeyOwner: ownerOf.key,
    money: openMoney({ unitOfWork, listCosts: of.listCosts }),
    gifts: new GiftDesk({ ...parts, ...shared, log, gifts: of.shop.giftCodes, aloneMaxMillicredits }),
    settlements: new SettlementDesk({ log, decisions: new SettlementDecisions(config.spoolFolder, of.ledger) }),
    payments: new PaymentDesk({ ...of.shop, log }),
    refunds: new RefundDesk({ orders: of.shop.refunds, log, unitOfWork, aloneMaxMillicredits }),
    providers: of.openDesk(log),
    prices: of.openPriceDesk(log),
    priceGroups: of.openPriceGroupDesk(log),
    accountLimits: of.openAccountLimitDesk(log, () => of.catalogue.models.map(({ id: name }) => name)),
    announcements: of.openAnnouncementDesk(log),
    callTimes: new CallTimesReader(unitOfWork, clock),
    ...openRiskDesk(parts, log),
    ...openSignUpDesks(of, config, log),
    dataRetention: openRetentionDesk(parts, config, log),
    ...openSetup(unitOfWork, config, of, log),
    accountReads: openAccountReads(of, { find, notices, unitOfWork }),
    watchReads: {
      listInstances: () => listInstances(reader),
      countNotices: () => notices.count(),
      listGivenUp: (first) => notices.listGivenUp(first),
      findSettlements: () => of.ledger.findSettlementStanding(),
      listQuarantined: (first) => listQuarantinedEvents(reader, first),
      findAudit: () => of.auditor.audit,
    } satisfies WatchReads,
    processReads: { nowMs: () => clock.nowMs(), listProcesses: () => listReportedInstances(unitOfWork, clock.nowMs()) },
  };
}

function openOperatorPasskeys(
  { clock, logger, openCounter, unitOfWork }: OperatorsParts,
  of: { readonly sessions: OperatorSessions; readonly log: OperatorLog },
  { publicUrl }: Pick<Config, 'publicUrl'>,
) {
  const pendingProofs = new PendingProofs(unitOfWork, clock);
  const passkeys = new Passkeys({ unitOfWork, clock, pendingProofs, publicUrl, of: passkeysOfOperators });
  const begun = openCounter({ kind: 'passkey sign-in network', max: 60, windowMs: 60_000 });
  return new OperatorPasskeys({ unitOfWork, clock, logger, passkeys, begun, ...of });
}

export type Operators = ReturnType<typeof openOperators>;

function openSetup(unitOfWork: UnitOfWork, config: Config, of: OperatorsOf, log: OperatorLog) {
  const { mail, publicUrl, isProduction } = config;
  const sendMail = async (message: Mail) => {
    const mailer = createMailer(mail as NonNullable<typeof mail>, publicUrl);
    await mailer.send(message).finally(() => mailer.close());
  };
  const findRunning = async () => {
    const { mode } = await of.signUpBlocks.findMode();
    return { offered: of.catalogue, overlay: of.findOverlay(), signUpMode: mode };
  };
  const examine = () => examineRunning(config, findRunning);
  const tryPaymentEvent = () => tryStripeEvent({ settings: config.stripe, publicUrl, unitOfWork });
  const setup = new SetupDesk({ log, examine, sendMail: mail && sendMail, tryPaymentEvent });
  return { setup, setupFacts: { publicUrl, isProduction } };
}

function openAccountReads(
  { keys, sessions, ledgerReader, shop: { service: purchases }, calls }: OperatorsOf,
  parts: { find: AccountReads['findAccounts']; notices: NoticeDesk; unitOfWork: UnitOfWork },
): AccountReads {
  const { find, notices, unitOfWork } = parts;
  return {
    findAccounts: find,
    findAccount: (id) => findAccountFacts(unitOfWork.reader, id),
    findBalance: (id) => ledgerReader.findBalance(id),
    findStanding: (id) => ledgerReader.findStanding(id),
    listStatement: (id, first) => ledgerReader.listStatement(id, { first, beforeSeq: null }),
    listKeys: (id, first) => keys.listKeyPage(id, { first, beforeId: null, isWithRevoked: true }),
    listCalls: (id, first) => calls.listCalls(id, { first, beforeId: null }),
    listPurchases: async (id, first) => {
      const { items } = await purchases.listPurchases(id, { first, beforeId: null });
      const detailsOf = await purchases.listDetails(items.map((purchase) => purchase.id));
      const refundedOf = (purchaseId: string) => detailsOf.get(purchaseId)?.reversal?.refundedCents ?? 0;
      return { items: items.map((purchase) => ({ ...purchase, refundedCents: refundedOf(purchase.id) })) };
    },
    listSessions: (id) => sessions.listSessions(id),
    listNotices: (id, first) => notices.listOf(id, first),
  };
}
