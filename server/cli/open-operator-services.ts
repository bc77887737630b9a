import { hostname, userInfo } from 'node:os';
import type { DataSource } from 'typeorm';
import { findAccountFacts } from '../accounts/find-accounts.js';
import { openAccounts } from '../accounts/open-accounts.js';
import { noSignInFactors } from '../accounts/sign-in/sign-in-factors.js';
import { hasPricedAccounts } from '../catalogue/price-groups.js';
import { resealProviderKeys } from '../catalogue/reseal-provider-keys.js';
import { type CatalogueParts, openCatalogue } from '../composition/open-catalogue.js';
import { openMoney } from '../composition/open-money.js';
import { openTopUpPayers } from '../composition/open-top-up-payers.js';
import { openAccountExport } from '../composition/operators/open-account-export.js';
import { openAccountLimits } from '../composition/operators/open-account-limits.js';
import { openAnnouncements } from '../composition/operators/open-announcements.js';
import { openAccountFinder, openOperatorPeople, openSignUpDesks } from '../composition/operators/open-operators.js';
import { openPriceGroups } from '../composition/operators/open-price-groups.js';
import { openPaymentDesks, openProgramPurchases } from '../composition/operators/open-program-purchases.js';
import { openRetentionDesk } from '../composition/operators/open-retention-desk.js';
import { openRiskDesk } from '../composition/operators/open-risk-marks.js';
import { openTime } from '../composition/watch-time.js';
import type { Config } from '../config/config.js';
import { createDataSource } from '../database/data-source.js';
import type { DatabaseAddress } from '../database/database-address.js';
import { keepToDatabase } from '../database/pool/keep-to-database.js';
import { commandWaits } from '../database/pool/mysql-pool.js';
import { readDatabaseMs } from '../database/time/database-clock.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { entities, migrations } from '../entities.js';
import { type ResealedSecrets, resealSecrets } from '../factors/authenticator-apps.js';
import { SecretBox } from '../factors/secret-box.js';
import { GiftCodes } from '../gifts/gift-codes.js';
import { listReportedInstances } from '../instances/instance-reports.js';
import { openMemoryCounter } from '../kernel/attempt-counter.js';
import { systemClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { createLogger } from '../kernel/logger.js';
import { ApiKeyService } from '../keys/api-key-service.js';
import { setComplete } from '../keys/changes/key-change-log.js';
import { openKeyChanges } from '../keys/changes/open-key-changes.js';
import { tellOfWalletStates } from '../keys/changes/tell-of-wallet-states.js';
import { noOwnKeyRules } from '../keys/key-settings.js';
import { assertLedgerThere } from '../ledger/checks/assert-ledger-there.js';
import { verifyInBackground } from '../ledger/checks/verify-in-background.js';
import { LedgerReader } from '../ledger/ledger-reader.js';
import { openLedger } from '../ledger/open-ledger.js';
import { SettlementDecisions } from '../ledger/settlements/settlement-decisions.js';
import { readWaitingSettlements } from '../ledger/settlements/waiting-settlements.js';
import { Invitations } from '../members/invitations.js';
import { Memberships } from '../members/memberships.js';
import { NoticeDesk } from '../notices/notice-desk.js';
import { openNotices } from '../notices/open-notices.js';
import { AccountDeletionDesk, type AccountDeletionDeskParts } from '../operator/accounts/account-deletion-desk.js';
import { AccountDesk } from '../operator/accounts/account-desk.js';
import { AccountExportDesk } from '../operator/accounts/account-export-desk.js';
import { GiftDesk } from '../operator/money/gift-desk.js';
import { SettlementDesk } from '../operator/money/settlement-desk.js';
import { UsageDesk } from '../operator/money/usage-desk.js';
import type { OperatorLog } from '../operator/operator-log.js';
import { resealOperatorSecrets } from '../operator/people/reseal-operators.js';
import { listQuarantinedEvents } from '../purchases/quarantined-events.js';
import type { TakenCredits } from '../top-ups/top-up-outcomes.js';
import { CallTimesReader } from '../usage/reports/call-times.js';
import { UsageError } from './operator-program.js';
import { workThenClose } from './work-then-close.js';

export type OperatorServices = Awaited<ReturnType<typeof openServices>>['services'];

/** Opens what an operator's command works with, has it work, and closes it again, whatever came of that. */
export type WithServices = (work: (services: OperatorServices) => Promise<void>) => Promise<void>;

/**
 * On the database that `npm start` would use, beside servers or without them.
 * @param readProgramConfig Asked when a command needs services, and not before: what was typed is judged without them.
 */
export function openOperatorServices(readProgramConfig: () => Config, waits = commandWaits): WithServices {
  return async (work) => {
    const config = readProgramConfig();
    const source = await createDataSource(config.database, { entities, migrations, waits }).initialize();
    let close = () => source.destroy();
    const run = async () => {
      const opened = await openServices(source, config);
      close = opened.close;
      await work(opened.services);
    };
    await workThenClose(run, () => close());
  };
}

async function openServices(source: DataSource, { database: address, spoolFolder, logLevel, ...config }: Config) {
  const logger = createLogger(logLevel, { destination: { write: (line) => process.stderr.write(line) } });
  await assertLedgerThere(source);
  const unitOfWork = new UnitOfWork(source);
  const databaseId = await keepToDatabase(unitOfWork, logger);
  const ledger = openLedger({ address, spoolFolder, logger, instance: createId('instance'), databaseId });
  const clock = systemClock;
  const parts = withTime({ unitOfWork, ledger, clock, logger });
  const noMail = { outbox: { put: async () => false }, onVerified: () => {} };
  const keyChanges = openKeyChanges({ ...parts, databaseKind: address.kind, channel: null, isProgram: true });
  const operatorConfig = { ...config, database: address, spoolFolder, logLevel };
  const members = openMembers({ ...parts, keyChanges }, operatorConfig);
  const openShop = () => openProgramPurchases(parts, operatorConfig);
  const endCheckouts = (accountId: string) => openShop().service.endCheckouts(accountId);
  const findTakeBackWrites = (taken: TakenCredits) => openShop().findTakeBackWrites(taken);
  const accountParts = { ...parts, ...noMail, keyChanges, members, factors: noSignInFactors, endCheckouts };
  const invitations = new Invitations({ ...parts, ...noMail, publicUrl: config.publicUrl });
  const { verifications, resets, emailChanges, deletion, ...signUps } = openAccounts(accountParts, config);
  const actor = `${userInfo().username}@${hostname()}`;
  const { log, people } = openOperatorPeople(parts, operatorConfig, actor);
  const secretBox = new SecretBox(operatorConfig);
  // Only ends keys here, and makes none: what a key may be given is for a server to say.
  const nothing = { keysPerAccountMax: 0, requestsPerMinute: 0, tokensPerMinute: 0 };
  const rules = { ...nothing, hasModel: () => false, hasProvider: () => false, findOwn: () => noOwnKeyRules };
  const keys = new ApiKeyService(unitOfWork, clock, rules, keyChanges);
  const { reader } = unitOfWork;
  // A freeze is answered once every server knows of it.
  const books = tellOfWalletStates(ledger, { unitOfWork, keyChanges });
  const { openPriceGroupDesk } = openPriceGroups({ ...parts, keyChanges }, operatorConfig);
  const { openProviders, openPrices, listModels, listCosts, closeProviders } = openProviderDesk(parts, operatorConfig, {
    log,
    actor,
  });
  const services = {
    ...{ ledger, verifications, resets, emailChanges, invitations, log, keys, people },
    gifts: new GiftDesk({ ...parts, log, secretBox, gifts: new GiftCodes(parts), aloneMaxMillicredits: 0 }),
    settlements: new SettlementDesk({ log, decisions: new SettlementDecisions(spoolFolder, ledger) }),
    usage: openUsageDesk({ unitOfWork, log }, address),
    findWaitingSettlements: () => readWaitingSettlements(spoolFolder, databaseId),
    desk: new AccountDesk({ ledger: books, keys, log, unitOfWork, findTakeBackWrites }),
    accountDeletions: openAccountDeletions({ unitOfWork, log, deletion }),
    accountExports: new AccountExportDesk({ unitOfWork, clock, log, findEmail: (id) => findEmail(unitOfWork, id) }),
    openAccountExport: () => openAccountExport({ ...parts, ...noMail, keyChanges, keys }, operatorConfig),
    riskMarks: openRiskDesk(parts, log).riskMarks,
    ...openSignUpDesks(signUps, config, log),
    accountLimits: openAccountLimits({ ...parts, keyChanges }, operatorConfig).openAccountLimitDesk(log, listModels),
    dataRetention: openRetentionDesk(parts, operatorConfig, log),
    announcements: openAnnouncements(parts).openAnnouncementDesk(log),
    openPayments: () => openPaymentDesks({ ...parts, ledger: books }, operatorConfig, log),
    ...{ ledgerReader: new LedgerReader(unitOfWork), money: openMoney({ unitOfWork, listCosts }) },
    callTimes: new CallTimesReader(unitOfWork, clock),
    findStatus: () => findStatus(unitOfWork),
    findAccount: (id: string) => findAccountFacts(reader, id),
    ...openAccountFinder(unitOfWork),
    resealSecrets: () => resealAll(unitOfWork, secretBox),
    isOldKeySet: config.oldSecretsKey !== null,
    openProviders,
    ...{ openPrices, openPriceGroups: () => openPriceGroupDesk(log) },
    noteUpgrade: (step: UpgradeStep) => noteUpgrade(source, step),
  };
  const close = async () => {
    await closeProviders();
    await ledger.close();
    await source.destroy();
  };
  return { services, close };
}

function openUsageDesk(
  parts: { readonly unitOfWork: UnitOfWork; readonly log: OperatorLog },
  address: DatabaseAddress,
) {
  return new UsageDesk({
    ...parts,
    findNowMs: () => readDatabaseMs(parts.unitOfWork.reader, systemClock),
    verify: () => verifyInBackground(address, 'everything', new AbortController().signal),
  });
}

/** A program runs too briefly to watch the clock: whether a time has come is proven by the ledger's rows. */
function withTime<P extends Parameters<typeof openTime>[0]>(parts: P) {
  return { ...parts, openCounter: openMemoryCounter, ...openTime(parts) };
}

/** What members are told of their card waits in the outbox, for a running server to send. */
function openMembers(
  parts: Omit<ConstructorParameters<typeof Memberships>[0], 'payers'> & Parameters<typeof openNotices>[0],
  config: Config,
): Memberships {
  const { outbox } = openNotices(parts, config);
  return new Memberships({ ...parts, payers: openTopUpPayers({ ...parts, outbox, publicUrl: config.publicUrl }) });
}

/** Providers as the database has them, read when a command asks for them. */
function openProviderDesk(
  parts: CatalogueParts,
  config: Config,
  { log, actor }: { readonly log: OperatorLog; readonly actor: string },
) {
  const { live, watch, openDesk, openPriceDesk, listCosts, close: closeProviders } = openCatalogue(parts, config);
  const openProviders = async () => {
    await watch.look();
    return openDesk(log);
  };
  const openPrices = async () => {
    await watch.look();
    return openPriceDesk(log).by(actor);
  };
  const listModels = async () => {
    await watch.look();
    return live.models.map(({ id }) => id);
  };
  return { openProviders, openPrices, listModels, listCosts, closeProviders };
}

function openAccountDeletions(parts: Pick<AccountDeletionDeskParts, 'log' | 'deletion'> & { unitOfWork: UnitOfWork }) {
  const { unitOfWork } = parts;
  const ledgerReader = new LedgerReader(unitOfWork);
  return new AccountDeletionDesk({
    ...parts,
    findEmail: (id) => findEmail(unitOfWork, id),
    findBalance: (id) => ledgerReader.findBalance(id),
  });
}

/** Of an account that is not deleted. */
async function findEmail({ reader }: UnitOfWork, accountId: string): Promise<string | null> {
  const account = await findAccountFacts(reader, accountId);
  return account?.closedAtMs === null ? account.email : null;
}

/** What servers say of themselves, and what waits for somebody. */
async function findStatus(unitOfWork: UnitOfWork) {
  const nowMs = systemClock.nowMs();
  const [processes, notices, events] = await Promise.all([
    listReportedInstances(unitOfWork, nowMs),
    new NoticeDesk(unitOfWork, systemClock).count(),
    listQuarantinedEvents(unitOfWork.reader, 100),
  ]);
  return { nowMs, processes, notices, quarantinedEvents: events.length };
}

const groupsInUse =
  'Accounts are in price groups, which the previous release does not know: it would charge them the list price, and take their receipts for forged. Remove each from its group first: price-group assign <account> --none';

type UpgradeStep = 'begun' | 'finished';

async function noteUpgrade(source: DataSource, step: UpgradeStep): Promise<void> {
  const isFinished = step === 'finished';
  if (source.options.type !== 'mysql') throw new UsageError('SQLite has one server, so this command is not needed.');
  if (!isFinished && (await hasPricedAccounts(source.manager))) throw new UsageError(groupsInUse);
  await setComplete(source.manager, isFinished);
  console.log(
    isFinished
      ? 'Recorded: no server of the previous release runs any more.'
      : 'Recorded: a server of the previous release may be running.',
  );
}

async function resealAll(unitOfWork: UnitOfWork, secretBox: SecretBox): Promise<ResealedSecrets> {
  const customers = await resealSecrets(unitOfWork, secretBox);
  const operators = await resealOperatorSecrets(unitOfWork, secretBox);
  const providers = await resealProviderKeys(unitOfWork, secretBox);
  const sum = (count: keyof ResealedSecrets) => customers[count] + operators[count] + providers[count];
  return { resealed: sum('resealed'), current: sum('current'), unreadable: sum('unreadable') };
}
