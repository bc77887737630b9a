import { dirname } from 'node:path';
import { AccountService } from '../accounts/account-service.js';
import { findAccountsByEmail } from '../accounts/find-accounts.js';
import { KnownDevices } from '../accounts/sign-in/known-devices.js';
import { Passwords } from '../accounts/sign-in/passwords.js';
import { SessionService } from '../accounts/sign-in/session-service.js';
import { noSignInFactors } from '../accounts/sign-in/sign-in-factors.js';
import { SignInThrottle } from '../accounts/sign-in/sign-in-throttle.js';
import { openSignUpGate } from '../accounts/sign-up/sign-up-gate.js';
import { SignUpThrottle } from '../accounts/sign-up/sign-up-throttle.js';
import { openPurchases, type PurchasesParts } from '../composition/open-purchases.js';
import type { Config } from '../config/config.js';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { sqliteSessionPragmas } from '../database/session-settings.js';
import { Sqlite } from '../database/sqlite-driver.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { crowdedHabits } from '../demo/demo-habits.js';
import { type DemoCall, planDemoTraffic } from '../demo/demo-traffic.js';
import { entities, migrations } from '../entities.js';
import { openMemoryCounter } from '../kernel/attempt-counter.js';
import { FakeClock } from '../kernel/clock.js';
import { makeFolder } from '../kernel/folders.js';
import { withIdsOfClock } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { ApiKeyService } from '../keys/api-key-service.js';
import { KeyAuthenticator } from '../keys/authenticate-key.js';
import { OneProcessKeyChanges } from '../keys/changes/key-changes.js';
import { type KeyRules, noOwnKeyRules } from '../keys/key-settings.js';
import type { LedgerStore } from '../ledger/commits/ledger-store.js';
import { SqliteLedger } from '../ledger/commits/sqlite-ledger.js';
import { Ledger } from '../ledger/ledger.js';
import { toBelieved } from '../ledger/receipts/proven-time.js';
import { SettlementSpool } from '../ledger/settlements/settlement-spool.js';
import { AccountLimits, noOwnLimits } from '../limits/account-limits.js';
import { assertMoneyIsReal } from '../purchases/real-money.js';

export const demoEmail = 'demo@tollgate.example';

export interface SeedOptions {
  readonly config: Config;
  readonly password: string;
  /** About how many calls. */
  readonly callCount: number;
  readonly seed: number;
  readonly nowMs: number;
  /** As much of everything as a page may ever have to show: many keys with long names, every model, many purchases. */
  readonly isCrowded?: boolean;
  /** Told when the account is there, before its months of use: whoever ends the seed then can sign in. */
  readonly onAccount?: () => void;
  /** Aborted: the call under way is the last one. */
  readonly stop?: AbortSignal;
}

export interface SeededDemo {
  readonly callCount: number;
  /** False: it was stopped before it had all that was asked for. */
  readonly isWhole: boolean;
}

const dayMs = 24 * 3_600_000;
const daysOfUse = 130;
const usualKeyNames = ['Production', 'Research notebook', 'Support bot'];
const crowdedKeyNames = [
  'Production',
  'Nightly re-indexing of the knowledge base, European region, second attempt after the move',
  'Research notebook',
  'customer-support-assistant-production-eu-central-1-blue-green-canary-2026',
  'Support bot',
  'Übersetzungsdienst für Verträge und Anlagen (Rechtsabteilung)',
  'CI',
  '営業レポートの要約',
];
/** Below this, the demo account buys its next pack. */
const buyBelowMillicredits = 4_000_000;

const demoKeyRules: KeyRules = {
  keysPerAccountMax: crowdedKeyNames.length,
  requestsPerMinute: 60,
  tokensPerMinute: null,
  hasModel: () => true,
  hasProvider: () => true,
  findOwn: () => noOwnKeyRules,
};
/** A demo account is told nothing. */
const noMail: Pick<PurchasesParts, 'outbox' | 'findEmail'> = {
  outbox: { put: async () => false, tellOperator: async () => {} },
  findEmail: async () => null,
};

/** The seed is refused here, in words for whoever asked for it. */
export class SeedRefusedError extends Error {
  override readonly name = 'SeedRefusedError';
}

/**
 * Makes the demo account with months of use. Everything goes the way it goes in life: the services sign up, make keys and
 * sell packs, and the ledger holds and settles each call; only the clock is moved. Nothing else in the database changes.
 * @throws SeedRefusedError in production, on another database than SQLite, and when there is a demo account already, whole or not; PlainFailure
 *   where credits were sold for real money.
 */
export async function seedDemoAccount(options: SeedOptions): Promise<SeededDemo> {
  const { config } = options;
  if (config.isProduction) throw new SeedRefusedError('A demo account has no place in production.');
  if (config.database.kind !== 'sqlite') {
    throw new SeedRefusedError('The demo account is made in a SQLite file only. Set DATABASE_URL=sqlite:data/demo.db.');
  }
  const { file } = config.database;
  makeFolder(dirname(file));
  const source = await openDataSource(createDataSource(config.database, { entities, migrations }));
  const clock = new FakeClock(options.nowMs - daysOfUse * dayMs);
  const ledger = openLedgerAt(clock, file, config.spoolFolder);
  try {
    await assertMoneyIsReal(source.manager, { ...config, stripe: null });
    const parts = { unitOfWork: new UnitOfWork(source), ledger, clock, logger: silentLogger };
    // The time of an event of the account is that of its identifier.
    return await withIdsOfClock(clock, () => fillAccount(options, parts));
  } finally {
    await ledger.close();
    await source.destroy();
  }
}

interface SeedParts {
  readonly unitOfWork: UnitOfWork;
  readonly ledger: Ledger;
  readonly clock: FakeClock;
  readonly logger: typeof silentLogger;
}

async function fillAccount(options: SeedOptions, parts: SeedParts): Promise<SeededDemo> {
  const { unitOfWork, ledger, clock, logger } = parts;
  const keyChanges = new OneProcessKeyChanges(clock);
  const keys = new ApiKeyService(unitOfWork, clock, demoKeyRules, keyChanges);
  const accountId = await signUp(options, { ...parts, keys });
  options.onAccount?.();
  const created = [];
  const lastUsedMs = new Map<number, number>();
  const keyNames = options.isCrowded ? crowdedKeyNames : usualKeyNames;
  if (keyNames.length > options.config.keysPerAccountMax) await allowKeys(parts, accountId, keyNames.length);
  for (const name of keyNames) {
    created.push(await keys.createKey(accountId, { name }));
    clock.advanceMs(2 * 60_000);
  }
  const purchases = openPurchases(
    { ...parts, ...noMail, openCounter: openMemoryCounter, readTime: async () => toBelieved(clock.nowMs()) },
    { ...options.config, stripe: null },
  );
  const buy = async (dollars: number) => {
    const { purchase } = await purchases.service.startCheckout(accountId, { dollars });
    clock.advanceMs(40_000);
    await purchases.simulatedGateway?.payCheckoutSession(purchase.id);
    await purchases.service.reconcilePurchase(purchase.id);
  };
  await buy(5);
  let available = 5_000_000;
  let callCount = 0;
  const habits = options.isCrowded ? { habits: crowdedHabits(keyNames.length) } : {};
  const plan = { ...options, ...habits, fromMs: clock.nowMs(), toMs: options.nowMs };
  for (const call of planDemoTraffic(plan)) {
    if (options.stop?.aborted) return { callCount, isWhole: false };
    clock.advanceMs(Math.max(0, call.startedAtMs - clock.nowMs()));
    if (available < buyBelowMillicredits) {
      const dollars = callCount < options.callCount / 3 ? 5 : options.isCrowded ? 50 : 20;
      await buy(dollars);
      available += dollars * 1_000_000;
    }
    const keyId = created[call.keyNumber]?.apiKey.id ?? '';
    available = (await runCall(ledger, clock, { call, accountId, keyId })) ?? available;
    lastUsedMs.set(call.keyNumber, call.startedAtMs);
    callCount += 1;
  }
  if (options.isCrowded) await buy(1_000);
  clock.advanceMs(Math.max(0, options.nowMs - 3 * 60_000 - clock.nowMs()));
  // Last of all: a demo account none of whose keys was used is not whole.
  for (const [keyNumber, usedAtMs] of lastUsedMs) {
    const authenticator = new KeyAuthenticator(unitOfWork, new FakeClock(usedAtMs), logger, keyChanges.current);
    await authenticator.authenticate(created[keyNumber]?.secret ?? null);
    await authenticator.drain();
  }
  return { callCount, isWhole: true };
}

/** What an operator does for an account that needs more keys than others. */
async function allowKeys({ unitOfWork, clock }: SeedParts, accountId: string, keysMax: number): Promise<void> {
  const nobodyElse = { isUpToDate: true, onChange: () => {} };
  const news = { note: async () => null, takenOver: async () => {} };
  const limits = new AccountLimits({ unitOfWork, clock, news, watch: nobodyElse, watchedMsMax: 0 });
  await limits.set(accountId, { ...noOwnLimits, keysMax }, async () => {});
}

async function signUp(
  { config, password }: SeedOptions,
  parts: SeedParts & { readonly keys: ApiKeyService },
): Promise<string> {
  const sessions = new SessionService(parts.unitOfWork, parts.clock);
  const accounts = new AccountService({
    ...parts,
    sessions,
    passwords: new Passwords(),
    throttle: new SignInThrottle(openMemoryCounter),
    signUpGate: openSignUpGate,
    signUpThrottle: new SignUpThrottle(openMemoryCounter, config.signUpsPerHour),
    devices: new KnownDevices(parts.unitOfWork, parts.clock),
    factors: noSignInFactors,
    verifications: { greet: async () => {}, remind: async () => {} },
    signupGifts: { ask: async () => {}, give: async () => true },
  });
  try {
    return (
      await accounts.signUp({
        email: demoEmail,
        password,
        name: 'Demo Account',
        from: { address: '127.0.0.1', userAgent: null, deviceTokens: [] },
      })
    ).account.id;
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'conflict';
    if (!isThere) throw error;
    throw new SeedRefusedError(await sayWhatIsThere(parts));
  }
}

async function sayWhatIsThere({ unitOfWork, keys }: Pick<SeedParts, 'unitOfWork'> & { readonly keys: ApiKeyService }) {
  const [account] = await findAccountsByEmail(unitOfWork.reader, demoEmail, 1);
  const made = account ? await keys.listKeys(account.id) : [];
  if (made.some(({ lastUsedAtMs }) => lastUsedAtMs !== null))
    return `There is an account ${demoEmail} already. Name another file in DATABASE_URL.`;
  return `There is an account ${demoEmail} already that an earlier run did not finish. Name another file in DATABASE_URL, or delete this one if nothing else is in it.`;
}

/** @returns what is available afterwards; null when the call could not be held. */
async function runCall(
  ledger: Ledger,
  clock: FakeClock,
  { call, accountId, keyId }: { call: DemoCall; accountId: string; keyId: string },
): Promise<number | null> {
  const { callId, model, provider, startedAtMs, isStreamed, promptTokens, completionTokens } = call;
  const price = model.millicreditsPerToken;
  const worstCase = toMillicredits((promptTokens * 4 + Math.max(completionTokens, 1_024)) * price);
  const hold = await ledger.placeHold({
    callId,
    accountId,
    keyId,
    facts: { model: model.id, provider, tier: model.tier, millicreditsPerToken: price, isStreamed, startedAtMs },
    amountMillicredits: worstCase,
    acceptFromMillicredits: worstCase,
  });
  if (hold.status === 'refused') return null;
  clock.advanceMs(call.totalMs);
  const hasFailed = call.outcome === 'failed';
  const settled = await ledger.settleHold({
    callId,
    accountId,
    ending: {
      outcome: call.outcome,
      provider,
      errorCode: hasFailed ? 'provider_overloaded' : call.outcome === 'interrupted' ? 'provider_error' : null,
      finishReason: call.outcome === 'completed' ? 'stop' : null,
      usageSource: hasFailed ? 'none' : call.outcome === 'completed' ? 'reported' : 'estimated',
      promptTokens,
      completionTokens,
      firstByteMs: hasFailed ? null : call.firstByteMs,
      totalMs: call.totalMs,
    },
  });
  return settled.status === 'settled' ? settled.availableAfterMillicredits : null;
}

/** The ledger itself on SQLite, in this thread, by a clock that the seed moves. */
function openLedgerAt(clock: FakeClock, file: string, spoolFolder: string): Ledger {
  const database = new Sqlite(file);
  for (const pragma of sqliteSessionPragmas) database.pragma(pragma);
  // Nothing of a demo is worth waiting for the disk at each of thousands of commits.
  database.pragma('synchronous = OFF');
  const books = new SqliteLedger(database, { leaseMs: 60_000, graceMs: 30_000 }, clock);
  const store: LedgerStore = {
    operationsPerBatchMax: 128,
    commitBatch: async (operations) => books.commitBatch(operations),
    close: async () => void database.close(),
  };
  return new Ledger({
    stores: [store],
    // It commits in this very thread, one batch after the other, whoever asks.
    asideStore: store,
    spool: new SettlementSpool(spoolFolder, 'seed', silentLogger),
    logger: silentLogger,
    instance: 'seed',
  });
}
