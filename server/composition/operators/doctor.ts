import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DataSource } from 'typeorm';
import { createBoundedFetch } from '../../accounts/identities/bounded-fetch.js';
import { SignUpBlocks, type SignUpMode } from '../../accounts/sign-up/sign-up-blocks.js';
import type { Config } from '../../config/config.js';
import { isReachableByOthers, listUnsafeForStrangers } from '../../config/unsafe-for-strangers.js';
import { createDataSource } from '../../database/data-source.js';
import { findDatabaseId } from '../../database/database-id.js';
import { describeMysqlServer } from '../../database/proofs/mysql-standing.js';
import { proveDatabase } from '../../database/proofs/prove-database.js';
import { ServingCheck } from '../../database/proofs/serving-check.js';
import { findMissingTriggers } from '../../database/schema-changes/append-only.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { entities, migrations } from '../../entities.js';
import { listReportedInstances } from '../../instances/instance-reports.js';
import { isLoopbackHost } from '../../kernel/addresses/loopback.js';
import { systemClock } from '../../kernel/clock.js';
import { silentLogger } from '../../kernel/logger.js';
import { readStanding } from '../../keys/changes/key-change-log.js';
import { readWaitingSettlements, remedyForOthers } from '../../ledger/settlements/waiting-settlements.js';
import { createMailer } from '../../notices/mailer.js';
import { type Check, type CheckFinding, off, ok, runChecks } from '../../operator/service/check-list.js';
import { buildCatalogue, type ModelCatalogue } from '../../providers/model-catalogue.js';
import type { ProviderOverlay } from '../../providers/settings/provider-overlay.js';
import { checkStripe } from '../../purchases/stripe/check-stripe.js';
import { explainStartFailure } from '../explain-start-failure.js';
import { openCatalogue } from '../open-catalogue.js';
import { lookAtRedis } from './look-at-redis.js';

const gigabyte = 2 ** 30;
const freeBytesMin = gigabyte / 4;
const freeBytesWanted = 2 * gigabyte;
const publicUrlTimeoutMs = 3_000;
/** A server that has said nothing for this long has ended, or hangs. */
const instanceSilentMs = 30_000;

type Offered = Pick<ModelCatalogue, 'models' | 'unansweredModels'>;

/** What the database adds to the settings. */
interface Running {
  readonly offered: Offered;
  /** null: nobody has set anything of providers there, or it could not be read. */
  readonly overlay: ProviderOverlay | null;
  readonly signUpMode: SignUpMode;
  /** null: it has none yet; left out: it could not be asked. */
  readonly databaseId?: string | null;
}

/**
 * Looks at everything that a server with these settings rests on, and changes nothing but a row of its own: database, disk, clock,
 * Redis, Stripe, mail, models with what operators have set of them in the database, and what strangers could make use of. Each wait is
 * bounded.
 */
export async function examine(config: Config): Promise<CheckFinding[]> {
  const findRunning = onceAsked(() => readRunning(config));
  return runChecks([
    {
      check: 'node',
      remedy: 'Install Node.js 20.19 or later.',
      look: async () => ok(`Node.js ${process.versions.node}`),
    },
    {
      check: 'database',
      remedy: 'Start the database, or correct DATABASE_URL.',
      look: () => lookAtDatabase(config),
    },
    {
      check: 'books',
      remedy: 'Start the database, or correct DATABASE_URL.',
      look: () => lookAtAudits(config),
    },
    {
      check: 'settlements',
      remedy: 'Name the server’s own SPOOL_DIR.',
      look: async () => lookAtSettlements(config, await findRunning()),
    },
    ...listChecks(config, findRunning),
  ]);
}

/** What a running server looks at of itself, with what it offers now: all but its database and its spool. Changes nothing. */
export async function examineRunning(config: Config, findRunning: () => Promise<Running>): Promise<CheckFinding[]> {
  return runChecks(listChecks(config, findRunning));
}

function onceAsked<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | null = null;
  return () => {
    answer ??= ask();
    return answer;
  };
}

function listChecks(config: Config, findRunning: () => Promise<Running>): readonly Check[] {
  return [
    {
      check: 'disk',
      remedy: 'Name folders that exist, on a local disk.',
      look: () => lookAtDisks(config),
    },
    {
      check: 'redis',
      remedy: 'Start Redis, or correct REDIS_URL. Servers count by themselves until then.',
      look: () => lookAtRedis(config),
    },
    {
      check: 'stripe',
      remedy: 'Correct STRIPE_SECRET_KEY, or let this machine reach Stripe.',
      look: () => lookAtStripe(config),
    },
    { check: 'mail', remedy: 'Correct SMTP_URL, or start the mail server.', look: () => lookAtMail(config) },
    {
      check: 'models',
      remedy: 'Set the key of a provider.',
      look: async () => describeModels((await findRunning()).offered),
    },
    { check: 'exposure', remedy: '', look: async () => lookAtExposure(config, await findRunning()) },
  ];
}

async function lookAtDatabase(config: Config) {
  const source = createDataSource(config.database, { entities, migrations });
  try {
    await source.initialize();
    return await describeDatabase(source, config);
  } catch (error) {
    throw new Error(explainStartFailure(error) ?? String((error as Error).message), { cause: error });
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}

async function describeDatabase(source: DataSource, { holdTimes }: Config) {
  const warnings: string[] = [];
  if (await source.showMigrations()) {
    const remedy = 'Start the new release, or run: npm run migration:run';
    return [{ standing: 'warning', text: 'The tables are not up to date with this release.', remedy } as const];
  }
  const tell = (_: string, words: string) => warnings.push(words);
  await proveDatabase(source, { clock: systemClock, tell, clockSkewMsMax: holdTimes.leaseMs / 2 });
  const startedMs = performance.now();
  await new ServingCheck({ source, unitOfWork: new UnitOfWork(source), clock: systemClock }).assertServes();
  const writeMs = (performance.now() - startedMs).toFixed(1);
  const server = (await describeMysqlServer(source))?.server ?? 'SQLite';
  const missing = await findMissingTriggers(source);
  if (missing.length > 0)
    warnings.push(
      'No trigger keeps the journal from being changed; docs/operations/databases.md says when that matters.',
    );
  const remedy = 'Read docs/operations/databases.md.';
  return [
    ok(`${server}: up to date, does what the ledger depends on, and wrote in ${writeMs} ms`),
    ...warnings.map((text) => ({ standing: 'warning', text, remedy }) as const),
    ...(await lookForUnfinishedUpgrade(source)),
  ];
}

// Calls are right meanwhile, and cost about twice as much.
async function lookForUnfinishedUpgrade(source: DataSource) {
  if (source.options.type !== 'mysql' || (await readStanding(source.manager)).isComplete) return [];
  const text = 'Servers of the previous release may still run, so each call takes a hold of its own.';
  const remedy = 'When the last of them has ended, run: npm run tollgate -- upgrade finished';
  return [{ standing: 'warning', text, remedy } as const];
}

// Of the servers that run now, as each says of itself.
async function lookAtAudits({ database }: Config) {
  const source = createDataSource(database, { entities, migrations });
  try {
    await source.initialize();
    const nowMs = systemClock.nowMs();
    const instances = await listReportedInstances(new UnitOfWork(source), nowMs);
    const running = instances.filter(({ reportedAtMs }) => nowMs - reportedAtMs < instanceSilentMs);
    if (running.length === 0) return off('No server runs on this database, so none audits its books.');
    const since = running.flatMap(({ auditFailingSinceMs }) => auditFailingSinceMs ?? []).sort((a, b) => a - b);
    if (since[0] === undefined) return ok(`servers that audit them: ${running.length}`);
    return {
      standing: 'warning',
      text: `${since.length} of ${running.length} servers cannot audit the books, since ${new Date(since[0]).toISOString()}`,
      remedy: 'Run npm run ledger:verify, which says why; in the log it is ledger_verification_failed.',
    } as const;
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}

async function lookAtDisks({ database, spoolFolder }: Config) {
  const folders = [
    ['Settlements', spoolFolder],
    ...(database.kind === 'sqlite' ? [['Database', dirname(database.file)] as const] : []),
  ] as const;
  return Promise.all(
    folders.map(async ([what, folder]) => {
      const { bavail, bsize } = await statfs(folder);
      const text = `${what}, ${folder}: ${((bavail * bsize) / gigabyte).toFixed(1)} GB free`;
      if (bavail * bsize >= freeBytesWanted) return ok(text);
      const standing = bavail * bsize < freeBytesMin ? ('failed' as const) : ('warning' as const);
      return { standing, text, remedy: 'Make room: a full disk ends calls with an error.' };
    }),
  );
}

async function lookAtSettlements({ spoolFolder }: Config, { databaseId }: Running) {
  const { kept, quarantined, ofOthers, damagedFiles } = await readWaitingSettlements(spoolFolder, databaseId);
  if (quarantined.settlements + damagedFiles.length > 0) {
    const text = `${quarantined.settlements} in quarantine, ${damagedFiles.length} damaged files`;
    return { standing: 'warning', text, remedy: 'Decide about them: npm run tollgate -- settlements list' } as const;
  }
  if (ofOthers.settlements > 0) {
    const text = `${ofOthers.settlements} of another database wait in ${spoolFolder}`;
    return { standing: 'warning', text, remedy: `Not touched here: ${remedyForOthers}.` } as const;
  }
  if (kept.settlements === 0) return ok('None waits on this machine.');
  return {
    standing: 'warning',
    text: `${kept.settlements} wait on this machine to be booked`,
    remedy: 'A running server books them by itself; start one with this SPOOL_DIR.',
  } as const;
}

async function lookAtStripe({ stripe }: Config) {
  if (stripe === null) return off('STRIPE_SECRET_KEY is not set: no real money is taken.');
  const { isLive } = await checkStripe(stripe);
  return ok(isLive ? 'the key takes real money' : 'a test key, which takes no real money');
}

async function lookAtMail({ mail, publicUrl }: Config) {
  if (mail === null) return off('SMTP_URL is not set: mails are logged instead.');
  const mailer = createMailer(mail, publicUrl);
  try {
    await mailer.verify();
    return ok('the mail server accepts the sign-in');
  } finally {
    mailer.close();
  }
}

// With the providers, keys and prices of the database, as a server would have them; of the settings alone where it cannot be read, which
// the check of the database says.
async function readRunning(config: Config): Promise<Running> {
  const source = createDataSource(config.database, { entities, migrations });
  try {
    await source.initialize();
    const parts = { unitOfWork: new UnitOfWork(source), clock: systemClock, logger: silentLogger };
    const { live, watch, findOverlay, close } = openCatalogue(parts, config);
    await watch.look().finally(close);
    const { mode } = await new SignUpBlocks(parts.unitOfWork, systemClock).findMode();
    const databaseId = await findDatabaseId(source.manager);
    return { offered: live, overlay: findOverlay(), signUpMode: mode, databaseId };
  } catch {
    return { offered: buildCatalogue(config), overlay: null, signUpMode: 'open' };
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}

function describeModels({ models, unansweredModels }: Offered) {
  if (models.length === 0) {
    return { standing: 'failed', text: 'No model has a provider.', remedy: 'Set the key of a provider.' } as const;
  }
  if (unansweredModels.length === 0) return ok(`${models.length} models can be called`);
  const text = `${models.length} models can be called; ${unansweredModels.length} of the list have no provider`;
  return { standing: 'ok', text, remedy: null } as const;
}

// Free credits of a new account are nothing to strangers where they can make none.
async function lookAtExposure(config: Config, { overlay, signUpMode }: Running) {
  const risks = listUnsafeForStrangers({ ...config, ...(overlay === null ? {} : { overlay }) }).filter(
    ({ code }) => code !== 'gift_credits_for_real_providers' || signUpMode === 'open',
  );
  const findings = risks.map(({ text, remedy }) => ({ standing: 'warning', text, remedy }) as const);
  const address = isReachableByOthers(config) ? await lookAtPublicUrl(config) : [];
  const all = [...findings, ...address];
  return all.length === 0 ? ok('Nothing that strangers could misuse.') : all;
}

// As somebody elsewhere would, as far as this network leads back to itself.
async function lookAtPublicUrl({ publicUrl }: Config) {
  if (isLoopbackHost(new URL(publicUrl).hostname)) return [];
  try {
    const ask = createBoundedFetch({ timeoutMs: publicUrlTimeoutMs, bytesMax: 64 * 1_024 });
    const answer = await ask(`${publicUrl}/healthz`, { method: 'GET', headers: {} });
    const health = (await answer.json()) as Readonly<Record<string, unknown>> | null;
    if (health?.ledger !== undefined && health.settlements !== undefined) return [];
  } catch {
    // Told below, in the same words: nothing of ours answered there.
  }
  const text = `No Tollgate answers at ${publicUrl}/healthz, as seen from this machine.`;
  const remedy =
    'Start the server, and look at DNS, the proxy in front and PUBLIC_URL; where a network does not lead back to itself, ask from another machine.';
  return [{ standing: 'warning', text, remedy } as const];
}
