import 'reflect-metadata';
import { EmailVerifications } from './accounts/email-verifications.js';
import { createDataSource } from './database/data-source.js';
import { UnitOfWork } from './database/unit-of-work.js';
import { entities, migrations } from './entities.js';
import { AppError } from './kernel/app-error.js';
import { openMemoryCounter } from './kernel/attempt-counter.js';
import { systemClock } from './kernel/clock.js';
import { createId } from './kernel/ids.js';
import { createLogger } from './kernel/logger.js';
import { formatCredits, millicreditsPerCredit, toMillicredits } from './kernel/millicredits.js';
import type { Ledger } from './ledger/ledger.js';
import { openLedger } from './ledger/open-ledger.js';
import { runSettlementsCommand, settlementsUsage } from './ledger/settlements-command.js';
import { moveInstallation } from './move-database.js';
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
  wallet freeze <account>
${settlementsUsage}
  verification-link <e-mail> prints what verifies an address where no mail is sent; good for 24 hours and one use
  database move --to mysql://user:password@host:3306/name
                             copies the SQLite file of DATABASE_URL to MySQL, compares every row and verifies the ledger there;
                             the server must be stopped; may be begun again after it was interrupted`;

type Options = Readonly<Record<string, string>>;

/** A command: which options it knows, whether a word follows it, and what it does. */
interface Command {
  readonly options?: readonly string[];
  /** What the word behind the command is. */
  readonly subject?: string;
  readonly run: (subject: string, options: Options) => Promise<void>;
}

const commands: Readonly<Record<string, Command>> = {
  'gift-code create': {
    options: ['credits', 'count', 'expires'],
    run: async (_, options) => {
      const gift = readGift(options);
      await withServices(({ gifts }) => createGiftCodes(gifts, gift));
    },
  },
  'gift-code list': { run: () => withServices(({ gifts }) => listGiftCodes(gifts)) },
  'gift-code revoke': { subject: 'the id', run: (id) => withServices(({ gifts }) => revokeGiftCode(gifts, id)) },
  'wallet open': { subject: 'the account', run: (id) => withServices(({ ledger }) => openWallet(ledger, id)) },
  'wallet freeze': {
    subject: 'the account',
    run: (accountId) => withServices(({ ledger }) => setWallet(ledger, { accountId, state: 'frozen' })),
  },
  'settlements list': { run: () => runSettlements(['list']) },
  'settlements book': {
    options: ['reason'],
    subject: 'the call',
    run: (callId, { reason }) => runSettlements(['book', callId, ...toWords(reason)]),
  },
  'settlements dismiss': {
    options: ['reason'],
    subject: 'the call',
    run: (callId, { reason }) => runSettlements(['dismiss', callId, ...toWords(reason)]),
  },
  'verification-link': {
    subject: 'the e-mail',
    run: (email) => withServices((services) => printLink(services, email)),
  },
  'database move': { options: ['to'], run: (_, { to }) => moveDatabase(need(to, '--to')) },
};

const program = { usage, failure: 'It could not be done.', exitCodes: { usage: 1, failed: 2 } };

await runOperatorProgram(program, async () => {
  await run(process.argv.slice(2));
  return 0;
});

async function run(words: readonly string[]): Promise<void> {
  const known = [...new Set(Object.values(commands).flatMap(({ options = [] }) => options))];
  const { options, positionals } = readWords(words, known);
  const name = [positionals.slice(0, 2).join(' '), String(positionals[0])].find((text) =>
    Object.hasOwn(commands, text),
  );
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || command === undefined) throw new UsageError('There is no such command.');
  const [subject, ...rest] = positionals.slice(name.split(' ').length);
  const beyond = command.subject === undefined ? subject : rest[0];
  if (beyond !== undefined) throw new UsageError(`Nothing is known about ${JSON.stringify(beyond)} here.`);
  const foreign = Object.keys(options).find((option) => !command.options?.includes(option));
  if (foreign !== undefined) throw new UsageError(`--${foreign} does not belong to ${name}.`);
  await command.run(command.subject === undefined ? '' : need(subject, command.subject), options);
}

function toWords(reason: string | undefined): string[] {
  return reason === undefined ? [] : ['--reason', reason];
}

async function runSettlements(words: readonly string[]): Promise<void> {
  const { spoolFolder } = loadProgramConfig(process.env, { isSpoolUsed: true });
  await withServices(async ({ ledger }) => {
    try {
      await runSettlementsCommand(words, { spoolFolder, ledger, print: (line) => console.log(line) });
    } catch (error) {
      const isAboutWords = error instanceof AppError && error.code !== 'service_unavailable';
      throw isAboutWords ? new UsageError(error.message) : error;
    }
  });
}

async function moveDatabase(to: string): Promise<void> {
  const { database: from } = loadProgramConfig(process.env, { isSpoolUsed: false });
  const moved = await moveInstallation({ from, to, report: (line) => console.error(line) });
  const rowCount = moved.reduce((sum, table) => sum + table.rowCount, 0);
  console.log(
    `${rowCount} rows of ${moved.length} tables are there, equal to the file. Start the server on the new DATABASE_URL.`,
  );
}

type Gift = Parameters<GiftCodes['create']>[0];

// All of it before the database is asked for: a slip of the pen needs none.
function readGift({ credits, count = '1', expires }: Options): Gift {
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

async function printLink({ verifications }: Services, email: string): Promise<void> {
  const link = await verifications.createLinkFor(email);
  if (link === null) throw new UsageError('There is no account with this e-mail that is not verified yet.');
  console.error('For its owner alone; it is shown once, and good for 24 hours and one use.');
  console.log(link);
}

function need(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`Name ${what}.`);
  return value;
}

interface Services {
  readonly gifts: GiftCodes;
  readonly ledger: Ledger;
  readonly verifications: Pick<EmailVerifications, 'createLinkFor'>;
}

async function withServices(work: (services: Services) => Promise<void>): Promise<void> {
  const { database: address, spoolFolder, logLevel, publicUrl } = loadProgramConfig(process.env, { isSpoolUsed: true });
  const logger = createLogger(logLevel, { destination: { write: (line) => process.stderr.write(line) } });
  const source = await createDataSource(address, { entities, migrations }).initialize();
  // Asked first: a ledger without its tables would wait for them.
  await source.query('SELECT 1 FROM ledger_account LIMIT 1');
  const ledger = openLedger({ address, spoolFolder, logger, instance: createId('instance') });
  try {
    const clock = systemClock;
    const parts = { unitOfWork: new UnitOfWork(source), ledger, clock, logger, openCounter: openMemoryCounter };
    const noMail = { outbox: { put: async () => false }, onVerified: () => {} };
    const verifications = new EmailVerifications({ ...parts, ...noMail, publicUrl });
    await work({ ledger, gifts: new GiftCodes(parts), verifications });
  } finally {
    await ledger.close();
    await source.destroy();
  }
}
