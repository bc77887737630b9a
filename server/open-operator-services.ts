import { hostname, userInfo } from 'node:os';
import type { DataSource } from 'typeorm';
import { findAccountFacts, findAccountsByEmail } from './accounts/find-accounts.js';
import { openAccounts } from './accounts/open-accounts.js';
import { noSignInFactors } from './accounts/sign-in-factors.js';
import type { Config } from './config.js';
import { createDataSource } from './database/data-source.js';
import { UnitOfWork } from './database/unit-of-work.js';
import { entities, migrations } from './entities.js';
import { openMemoryCounter } from './kernel/attempt-counter.js';
import { systemClock } from './kernel/clock.js';
import { createId } from './kernel/ids.js';
import { createLogger } from './kernel/logger.js';
import { ApiKeyService } from './keys/api-key-service.js';
import { findKeyOwner } from './keys/find-key-owner.js';
import { setComplete } from './keys/key-change-log.js';
import { openKeyChanges } from './keys/open-key-changes.js';
import { tellOfWalletStates } from './keys/tell-of-wallet-states.js';
import { findCallOwner } from './ledger/find-call-owner.js';
import { LedgerReader } from './ledger/ledger-reader.js';
import { openLedger } from './ledger/open-ledger.js';
import { AccountDesk } from './operator/account-desk.js';
import { findAccounts } from './operator/account-finder.js';
import { OperatorLog } from './operator/operator-log.js';
import { UsageError } from './operator-program.js';
import { findPurchaseOwner } from './purchases/find-purchase-owner.js';
import { GiftCodes } from './purchases/gift-codes.js';

export type OperatorServices = Awaited<ReturnType<typeof openServices>>['services'];

/** Opens what an operator's command works with, has it work, and closes it again, whatever came of that. */
export type WithServices = (work: (services: OperatorServices) => Promise<void>) => Promise<void>;

/**
 * On the database that `npm start` would use, beside servers or without them.
 * @param readProgramConfig Asked when a command needs services, and not before: what was typed is judged without them.
 */
export function openOperatorServices(readProgramConfig: () => Config): WithServices {
  return async (work) => {
    const { services, close } = await openServices(readProgramConfig());
    try {
      await work(services);
    } finally {
      await close();
    }
  };
}

async function openServices({ database: address, spoolFolder, logLevel, ...config }: Config) {
  const logger = createLogger(logLevel, { destination: { write: (line) => process.stderr.write(line) } });
  const source = await createDataSource(address, { entities, migrations }).initialize();
  // Asked first: a ledger without its tables would wait for them.
  await source.query('SELECT 1 FROM ledger_account LIMIT 1');
  const ledger = openLedger({ address, spoolFolder, logger, instance: createId('instance') });
  const clock = systemClock;
  const unitOfWork = new UnitOfWork(source);
  const parts = { unitOfWork, ledger, clock, logger, openCounter: openMemoryCounter };
  const noMail = { outbox: { put: async () => false }, onVerified: () => {} };
  const keyChanges = openKeyChanges({ ...parts, databaseKind: address.kind, channel: null, isProgram: true });
  const accountParts = { ...parts, ...noMail, keyChanges, factors: noSignInFactors };
  const { verifications, resets, emailChanges } = openAccounts(accountParts, config);
  const log = new OperatorLog(unitOfWork, clock, `${userInfo().username}@${hostname()}`);
  // Only ends keys here, and makes none: what a key may be given is for a server to say.
  const nothing = { keysPerAccountMax: 0, requestsPerMinute: 0, tokensPerMinute: 0 };
  const rules = { ...nothing, hasModel: () => false, hasProvider: () => false };
  const keys = new ApiKeyService(unitOfWork, clock, rules, keyChanges);
  const { reader } = unitOfWork;
  const ownerOf = {
    account: async (id: string) => (await findAccountFacts(reader, id))?.id ?? null,
    key: (id: string) => findKeyOwner(reader, id),
    call: (id: string) => findCallOwner(reader, id),
    purchase: (id: string) => findPurchaseOwner(reader, id),
  };
  const services = {
    ...{ ledger, verifications, resets, emailChanges, log, keys },
    gifts: new GiftCodes(parts),
    // Whose changes are answered when every server knows of them.
    desk: new AccountDesk({ ledger: tellOfWalletStates(ledger, { unitOfWork, keyChanges }), keys, log }),
    ledgerReader: new LedgerReader(unitOfWork),
    findAccount: (id: string) => findAccountFacts(reader, id),
    findAccounts: (text: string) =>
      findAccounts({ ownerOf, findByEmail: (beginning, first) => findAccountsByEmail(reader, beginning, first) }, text),
    ownerOf,
    noteUpgrade: (isFinished: boolean) => noteUpgrade(source, isFinished),
  };
  const close = async () => {
    await ledger.close();
    await source.destroy();
  };
  return { services, close };
}

async function noteUpgrade(source: DataSource, isFinished: boolean): Promise<void> {
  if (source.options.type !== 'mysql') throw new UsageError('On SQLite there is one server, so nothing is to be said.');
  await setComplete(source.manager, isFinished);
  console.log(isFinished ? 'Every server notes what it changes.' : 'A server of the release before may be running.');
}
