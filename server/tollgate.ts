import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { loadConfig } from './config.js';
import { createDataSource } from './database/data-source.js';
import { UnitOfWork } from './database/unit-of-work.js';
import { entities, migrations } from './entities.js';
import { AppError } from './kernel/app-error.js';
import { systemClock } from './kernel/clock.js';
import { createId } from './kernel/ids.js';
import { createLogger } from './kernel/logger.js';
import { formatCredits, millicreditsPerCredit, toMillicredits } from './kernel/millicredits.js';
import { type Ledger, openLedger } from './ledger/ledger.js';
import { runSettlementsCommand, settlementsUsage } from './ledger/settlements-command.js';
import { type GiftCode, GiftCodes } from './purchases/gift-codes.js';

/*
 * `npm run tollgate -- …`: what an operator does by hand, beside running servers or without them. Exit status: 0 done, 1 it was
 * asked for something that cannot be, 2 it could not be done now.
 */

const usage = `Usage: npm run tollgate -- <command>

  gift-code create --credits 500 [--count 3] [--expires 2026-12-31]
  gift-code list
  gift-code revoke <id>
  wallet open <account>      takes back a freeze of the auditor or the operator; a running dispute keeps the wallet frozen
  wallet freeze <account>
${settlementsUsage}`;

class UsageError extends Error {}

try {
  await run(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError || error instanceof RangeError || error instanceof TypeError;
  console.error(isUsage ? `${error.message}\n\n${usage}` : error);
  process.exitCode = isUsage ? 1 : 2;
}

async function run(words: readonly string[]): Promise<void> {
  if (words[0] === 'settlements') return withServices((services) => runSettlements(words.slice(1), services));
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { credits: { type: 'string' }, count: { type: 'string' }, expires: { type: 'string' } },
  });
  const [noun, verb, id] = positionals;
  const command = `${noun} ${verb}`;
  if (command === 'gift-code create') await withServices(({ gifts }) => createGiftCodes(gifts, values));
  else if (command === 'gift-code list') await withServices(({ gifts }) => listGiftCodes(gifts));
  else if (command === 'gift-code revoke') await withServices(({ gifts }) => revokeGiftCode(gifts, need(id, 'the id')));
  else if (command === 'wallet open') await withServices(({ ledger }) => openWallet(ledger, need(id, 'the account')));
  else if (command === 'wallet freeze') {
    await withServices(({ ledger }) => setWallet(ledger, { accountId: need(id, 'the account'), state: 'frozen' }));
  } else throw new UsageError('There is no such command.');
}

interface GiftOptions {
  readonly credits?: string | undefined;
  readonly count?: string | undefined;
  readonly expires?: string | undefined;
}

async function createGiftCodes(gifts: GiftCodes, { credits, count = '1', expires }: GiftOptions): Promise<void> {
  const millicredits = Math.round(Number(need(credits, '--credits')) * millicreditsPerCredit);
  if (!Number.isSafeInteger(millicredits)) throw new UsageError('--credits is a number such as 500 or 0.5.');
  const expiresAtMs = expires === undefined ? null : Date.parse(expires);
  if (Number.isNaN(expiresAtMs)) throw new UsageError('--expires is a day such as 2026-12-31.');
  const made = await gifts.create({
    creditsMillicredits: toMillicredits(millicredits),
    count: Number(count),
    expiresAtMs,
  });
  console.error('These are shown once; only their hashes are kept.');
  for (const { id, code } of made) console.log(`${code}  ${id}`);
}

async function listGiftCodes(gifts: GiftCodes): Promise<void> {
  for (const code of await gifts.list()) {
    const credits = formatCredits(toMillicredits(code.creditsMillicredits));
    console.log(`${code.id}  …${code.hint}  ${credits} credits  ${describe(code)}`);
  }
}

function describe({ claimedBy, revokedAtMs, expiresAtMs }: GiftCode): string {
  if (claimedBy !== null) return `claimed by ${claimedBy}`;
  if (revokedAtMs !== null) return 'revoked';
  if (expiresAtMs === null) return 'open';
  const day = new Date(expiresAtMs).toISOString();
  return expiresAtMs <= systemClock.nowMs() ? `expired ${day}` : `open until ${day}`;
}

async function revokeGiftCode(gifts: GiftCodes, id: string): Promise<void> {
  if (!(await gifts.revoke(id))) throw new UsageError('There is no such code that is still open.');
  console.log(`${id} is revoked.`);
}

async function openWallet(ledger: Ledger, accountId: string): Promise<void> {
  for (const reason of ['audit', 'operator'] as const) await setWallet(ledger, { accountId, state: 'open', reason });
}

async function setWallet(
  ledger: Ledger,
  {
    accountId,
    state,
    reason = 'operator',
  }: { accountId: string; state: 'open' | 'frozen'; reason?: 'audit' | 'operator' },
): Promise<void> {
  const { status } = await ledger.setWalletState({ accountId, state, reason });
  if (status === 'refused') throw new UsageError('There is no such wallet, or it is closed.');
  console.log(`${accountId}: ${state} as far as ${reason} goes.`);
}

async function runSettlements(words: readonly string[], { ledger }: { ledger: Ledger }): Promise<void> {
  const { spoolFolder } = loadConfig(process.env);
  try {
    await runSettlementsCommand(words, { spoolFolder, ledger, print: (line) => console.log(line) });
  } catch (error) {
    const isAboutWords = error instanceof AppError && error.code !== 'service_unavailable';
    throw isAboutWords ? new UsageError(error.message) : error;
  }
}

function need(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`Name ${what}.`);
  return value;
}

async function withServices(work: (services: { gifts: GiftCodes; ledger: Ledger }) => Promise<void>): Promise<void> {
  const { database: address, spoolFolder, logLevel } = loadConfig(process.env);
  const logger = createLogger(logLevel, { destination: { write: (line) => process.stderr.write(line) } });
  const source = await createDataSource(address, { entities, migrations }).initialize();
  const ledger = openLedger({ address, spoolFolder, logger, instance: createId('instance') });
  try {
    await work({ ledger, gifts: new GiftCodes({ unitOfWork: new UnitOfWork(source), ledger, clock: systemClock }) });
  } finally {
    await ledger.close();
    await source.destroy();
  }
}
