import 'reflect-metadata';
import { createDataSource } from './database/data-source.js';
import { UnitOfWork } from './database/unit-of-work.js';
import { entities, migrations } from './entities.js';
import { systemClock } from './kernel/clock.js';
import { createId } from './kernel/ids.js';
import { createLogger } from './kernel/logger.js';
import { formatCredits, millicreditsPerCredit, toMillicredits } from './kernel/millicredits.js';
import { type Ledger, openLedger } from './ledger/ledger.js';
import { loadProgramConfig, readWords, runOperatorProgram, UsageError } from './operator-program.js';
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
  wallet freeze <account>`;

const program = {
  usage,
  failure: 'It could not be done.',
  exitCodes: { usage: 1, failed: 2 },
};

await runOperatorProgram(program, async () => {
  await run(process.argv.slice(2));
  return 0;
});

async function run(words: readonly string[]): Promise<void> {
  const { options, positionals } = readWords(words, ['credits', 'count', 'expires']);
  const [noun, verb, id, ...rest] = positionals;
  const command = `${noun} ${verb}`;
  const takesId = ['gift-code revoke', 'wallet open', 'wallet freeze'].includes(command);
  const beyond = takesId ? rest[0] : id;
  if (beyond !== undefined) throw new UsageError(`Nothing is known about ${JSON.stringify(beyond)} here.`);
  const [option] = command === 'gift-code create' ? [] : Object.keys(options);
  if (option !== undefined) throw new UsageError(`--${option} belongs to gift-code create alone.`);
  if (command === 'gift-code create') {
    const gift = readGift(options);
    await withServices(({ gifts }) => createGiftCodes(gifts, gift));
  } else if (command === 'gift-code list') await withServices(({ gifts }) => listGiftCodes(gifts));
  else if (takesId) await runOnId(command, need(id, verb === 'revoke' ? 'the id' : 'the account'));
  else throw new UsageError('There is no such command.');
}

function runOnId(command: string, id: string): Promise<void> {
  return withServices(async ({ gifts, ledger }) => {
    if (command === 'gift-code revoke') await revokeGiftCode(gifts, id);
    else if (command === 'wallet open') await openWallet(ledger, id);
    else await setWallet(ledger, { accountId: id, state: 'frozen' });
  });
}

type Gift = Parameters<GiftCodes['create']>[0];

// All of it before the database is asked for: a slip of the pen needs none.
function readGift({ credits, count = '1', expires }: Readonly<Record<string, string>>): Gift {
  const isNumber = /^\d{1,12}(\.\d{1,3})?$/.test(need(credits, '--credits'));
  if (!isNumber) throw new UsageError('--credits is a number such as 500 or 0.5, with at most three decimals.');
  if (!/^\d{1,6}$/.test(count)) throw new UsageError('--count is a whole number such as 3.');
  return {
    creditsMillicredits: toMillicredits(Math.round(Number(credits) * millicreditsPerCredit)),
    count: Number(count),
    expiresAtMs: expires === undefined ? null : readDay(expires),
  };
}

// JavaScript would make March 3 of February 31, and thirty other things of other texts.
function readDay(text: string): number {
  const atMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  const isDay = !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text);
  if (!isDay) throw new UsageError('--expires is a day of the calendar such as 2026-12-31.');
  return atMs;
}

async function createGiftCodes(gifts: GiftCodes, gift: Gift): Promise<void> {
  const made = await gifts.create(gift).catch((error: unknown) => {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
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

function need(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`Name ${what}.`);
  return value;
}

async function withServices(work: (services: { gifts: GiftCodes; ledger: Ledger }) => Promise<void>): Promise<void> {
  const { database: address, spoolFolder, logLevel } = loadProgramConfig(process.env, { isSpoolUsed: true });
  const logger = createLogger(logLevel, { destination: { write: (line) => process.stderr.write(line) } });
  const source = await createDataSource(address, { entities, migrations }).initialize();
  // Asked first: a ledger without its tables would wait for them.
  await source.query('SELECT 1 FROM ledger_account LIMIT 1');
  const ledger = openLedger({ address, spoolFolder, logger, instance: createId('instance') });
  try {
    await work({ ledger, gifts: new GiftCodes({ unitOfWork: new UnitOfWork(source), ledger, clock: systemClock }) });
  } finally {
    await ledger.close();
    await source.destroy();
  }
}
