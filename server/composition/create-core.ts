import type { DataSource } from 'typeorm';
import type { AccountLimits } from '../accounts/accounts.graphql.js';
import { PreferredProviders } from '../accounts/preferred-providers.js';
import { AccountEvents } from '../audit/account-events.js';
import { findStanding } from '../audit/acting.js';
import type { Config } from '../config/config.js';
import { isReachableByOthers } from '../config/unsafe-for-strangers.js';
import { createDataSource, openDataSource } from '../database/data-source.js';
import type { TellDatabaseNews } from '../database/database-news.js';
import { describeMysqlServer } from '../database/proofs/mysql-standing.js';
import { proveDatabase } from '../database/proofs/prove-database.js';
import { ReadReplica } from '../database/read-replica.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { entities, migrations } from '../entities.js';
import { assertSecretsKeyThere } from '../factors/sealed-secrets.js';
import type { Clock } from '../kernel/clock.js';
import { listToClose } from '../kernel/jobs/close-in-order.js';
import type { Logger } from '../kernel/logger.js';
import { ApiKeyService } from '../keys/api-key-service.js';
import { KeyAuthenticator } from '../keys/authenticate-key.js';
import type { KeyRules } from '../keys/key-settings.js';
import { LeakedKeys } from '../keys/leaked-keys.js';
import { ScannerKeys } from '../keys/scanner-keys.js';
import { ProofReader } from '../ledger/checks/proof-reader.js';
import { KeySpendReader } from '../ledger/key-spend/key-spend-reader.js';
import { LedgerReader } from '../ledger/ledger-reader.js';
import { ReceiptRetention } from '../ledger/receipts/receipt-retention.js';
import { describeLeakNotice } from '../notices/leak-notice.js';
import { openNotices } from '../notices/open-notices.js';
import type { ModelCatalogue } from '../providers/model-catalogue.js';
import { assertMoneyIsReal } from '../purchases/real-money.js';
import { PersonalItems } from '../saved-items/personal-items.js';
import { SavedItems } from '../saved-items/saved-items.js';
import type { StepsBehind } from './list-close-stages.js';
import { startCatalogue } from './open-catalogue.js';
import { openPeople } from './open-people.js';
import { openReports } from './open-reports.js';
import { openSharedStores } from './open-shared-stores.js';
import { openAccountLimits } from './operators/open-account-limits.js';
import { openAnnouncements } from './operators/open-announcements.js';
import { openOperators } from './operators/open-operators.js';
import { openPriceGroups, type PriceGroupParts } from './operators/open-price-groups.js';
import { type LedgerParts, startLedger } from './start-ledger.js';
import { type ShopParts, startShop } from './start-shop.js';

function createKeyRules(
  config: Config,
  catalogue: Pick<ModelCatalogue, 'models' | 'providers'>,
  findOwn: KeyRules['findOwn'],
): KeyRules {
  const { keysPerAccountMax, requestsPerMinute, tokensPerMinute } = config;
  return {
    keysPerAccountMax,
    requestsPerMinute,
    tokensPerMinute: tokensPerMinute.account,
    hasModel: (name) => catalogue.models.some(({ id }) => id === name),
    hasProvider: (name) => catalogue.providers.some(({ id }) => id === name),
    findOwn,
  };
}

function listAccountLimits(
  { keysPerAccountMax, requestsPerMinute, mail }: Config,
  asked: Pick<AccountLimits, 'findOwn' | 'findReceiptsKeptDays' | 'mailboxPath'>,
): AccountLimits {
  return { keysPerAccountMax, requestsPerMinute, isMailSent: mail !== null, ...asked };
}

/** The database, up to date and proven, or closed again. */
async function openDatabase(config: Config, logger: Logger, clock: Clock): Promise<DataSource> {
  const tell: TellDatabaseNews = (news, warning) => logger.warn(news, { warning });
  const source = await openDataSource(createDataSource(config.database, { entities, migrations }), { tell, clock });
  try {
    await proveDatabase(source, { clock, tell, clockSkewMsMax: config.holdTimes.leaseMs / 2 });
    await assertSecretsKeyThere(source, config);
    await assertMoneyIsReal(source.manager, config);
  } catch (error) {
    await source.destroy();
    throw error;
  }
  const connected = await describeMysqlServer(source);
  if (connected !== null) logger.info('database_connected', connected);
  return source;
}

/** Whether mails may be read by whoever sits at this machine, since nobody else reaches it. Each worker would have its own. */
function isMailboxOpen(config: Config): boolean {
  return !config.isProduction && config.workers === 1 && !isReachableByOthers(config);
}

/** What takes reports of keys that were found in public; null: nobody's are believed. */
function openLeakedKeys(
  { scannerKeysUrl, publicUrl }: Config,
  parts: Pick<ShopParts, 'unitOfWork' | 'clock' | 'logger' | 'people' | 'outbox'> & { keys: ApiKeyService },
): LeakedKeys | null {
  if (scannerKeysUrl === null) return null;
  const { people, clock, logger, outbox } = parts;
  const tell: ConstructorParameters<typeof LeakedKeys>[0]['tell'] = async (transaction, leak) => {
    const recipient = await people.accounts.findVerifiedEmail(leak.accountId);
    if (recipient !== null) await outbox.put(transaction, describeLeakNotice(leak, { recipient, publicUrl }));
  };
  return new LeakedKeys({ ...parts, tell, scannerKeys: new ScannerKeys(scannerKeysUrl, clock, logger) });
}

function openPreferredProviders(
  { unitOfWork, clock }: Pick<LedgerParts, 'unitOfWork' | 'clock'>,
  catalogue: Pick<ModelCatalogue, 'providers'>,
): PreferredProviders {
  return new PreferredProviders(unitOfWork, clock, () => catalogue.providers.map(({ id }) => id));
}

/** What operators set of accounts, and of everybody, while servers run. */
async function openOperatorSettings(parts: PriceGroupParts & { logger: Logger }, config: Config) {
  const { accountPrices, openPriceGroupDesk } = openPriceGroups(parts, config);
  const { accountLimits, openAccountLimitDesk } = openAccountLimits(parts, config);
  const { announcementBoard, openAnnouncementDesk } = openAnnouncements(parts);
  await announcementBoard.watch.start();
  const desks = { openPriceGroupDesk, openAccountLimitDesk, openAnnouncementDesk };
  return { accountPrices, accountLimits, announcementBoard, desks };
}

/** Everything behind the addresses: the database, the ledger, the domains. */
export async function createCore(config: Config, logger: Logger, clock: Clock) {
  const source = await openDatabase(config, logger, clock);
  const unitOfWork = new UnitOfWork(source, findStanding);
  const replica = config.readReplica && new ReadReplica({ primary: source, entities, logger, ...config.readReplica });
  await replica?.start();
  const { redis, limits, keyChanges, keptItems } = await openSharedStores(config, { unitOfWork, logger, clock });
  const ledgerParts = { unitOfWork, logger, clock, keyChanges };
  const { ledger, books, holds, sweeper, auditor, time, ...started } = await startLedger(config, ledgerParts);
  const parts = { ...ledgerParts, ledger: books, openCounter: limits.openCounter, ...time };
  const { outbox, mailbox, openSenders } = openNotices(parts, config, { isMailboxOpen: isMailboxOpen(config) });
  const onVerified = (accountId: string) => purchases.watch.forget(accountId);
  const endCheckouts = (accountId: string) => purchases.service.endCheckouts(accountId);
  const people = openPeople({ ...parts, outbox, onVerified, endCheckouts }, config);
  const { createLink, memberships: members, sessions } = people;
  const { purchases, sender, shopServices, workers } = startShop({ ...parts, people, outbox }, config, (sources) =>
    openSenders({ ...sources, createLink }),
  );
  const { live: catalogue, ...runtime } = await startCatalogue(parts, config);
  const authenticator = new KeyAuthenticator(unitOfWork, clock, logger, keyChanges.current);
  const findOwn = (accountId: string) => accountLimits.find(accountId);
  const keys = new ApiKeyService(unitOfWork, clock, createKeyRules(config, catalogue, findOwn), keyChanges, members);
  const leakedKeys = openLeakedKeys(config, { ...parts, people, outbox, keys });
  const ledgerReader = new LedgerReader(unitOfWork, ledger);
  const reports = openReports(unitOfWork, replica, clock);
  const retention = new ReceiptRetention(unitOfWork, clock, config.retentionDays);
  const { findOverlay, listCosts, openDesk, openPriceDesk, upstream, health } = runtime;
  const { accountPrices, accountLimits, announcementBoard, desks } = await openOperatorSettings(parts, config);
  const operators = openOperators(parts, config, {
    ...{ ...people, books, ledger, auditor, keys, ledgerReader, openDesk, openPriceDesk, listCosts, catalogue },
    ...{ shop: purchases, calls: reports.calls, findOverlay, outbox, ...desks },
  });
  const resolverServices = {
    ...people,
    events: new AccountEvents(unitOfWork),
    limits: listAccountLimits(config, {
      ...{ findOwn, findReceiptsKeptDays: () => retention.findDays() },
      mailboxPath: mailbox && '/mailbox',
    }),
    ...{ keys, clock, ledgerReader, catalogue, announcementBoard, operators },
    ...{ keySpend: new KeySpendReader(unitOfWork), savedItems: new SavedItems(unitOfWork, clock) },
    personalItems: new PersonalItems(unitOfWork, clock),
    proof: new ProofReader({ unitOfWork, ledger, auditor, clock }),
    ...{ health, accountPrices, accountLimits, preferredProviders: openPreferredProviders(parts, catalogue) },
    ...{ ...shopServices, ...reports },
  };
  people.keepers.start();
  const toClose: StepsBehind = {
    work: {
      ...listToClose({ ...workers, ...started.keepers, holds, holdSweeper: sweeper, catalogue: runtime }),
      ...listToClose({ people: people.keepers, announcements: announcementBoard.watch }),
      authenticator: () => authenticator.drain(),
    },
    stores: listToClose({ keyChanges, limits, keptItems, ledger }),
    connections: { ...listToClose({ redis, replica }), database: () => source.destroy() },
  };
  const stores = { ...started.running, source, replica, unitOfWork, limits, redis, keptItems, keyChanges };
  const jobs = { ...started.jobs, purchases: purchases.reconciler, top_ups: purchases.watch };
  const watched = { ...stores, jobs, members, ledger, books, auditor, holds, sessions, purchases, sender, catalogue };
  return { ...watched, accountLimits, authenticator, upstream, resolverServices, outbox, mailbox, leakedKeys, toClose };
}

export type Core = Awaited<ReturnType<typeof createCore>>;
