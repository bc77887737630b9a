import { formatCredits } from '../../kernel/millicredits.js';
import type { GrantResult } from '../../ledger/ledger-types.js';
import type { StandingRiskMark } from '../../operator/abuse/risk-marks.js';
import type { CreditChange } from '../../operator/accounts/account-desk.js';
import { type OperatorRole, operatorRoles } from '../../operator/operator-access.js';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import {
  asWords,
  need,
  type OperatorCommand,
  type ProgramOptions,
  readCredits,
  UsageError,
} from '../operator-program.js';
import { listAccountExportCommands } from './account-export-commands.js';

export const accountUsage = `  account find <text> [--json]
                             by the beginning of an e-mail address or name, what is shown of a key, or the id of an account, key,
                             call, purchase or payment
  account show <account> [--json]
  account grant <account> --credits 50 --reason "…" [--once WORD] [--json]
  account take-back <account> --credits 50 --reason "…" [--once WORD] [--json]
                             gives credits, or takes them back; a repeated --once for the same account moves nothing
  account delete <account> --email ada@example.com [--forfeit] --reason "…"
                             for good, as its owner can; --forfeit: allows remaining credits to be lost
  account export <account> [--to FILE] --reason "…"
                             all that is known of it, as its owner can download it: JSON, printed or in a new file
  account freeze <account> --reason "…"
  account open <account> --reason "…"
                             ends a freeze by the auditor or an operator; a dispute keeps the account frozen
  key revoke <key> --reason "…"
  operator invite [--role owner] --reason "…"
                             prints a link to become an operator at /operator; role: owner, support, finance, read_only
  operator renew <operator> --reason "…"
                             prints a link by which an operator sets a new password and authenticator app
  operator list [--json]
  operator disable <operator> --reason "…"
  log [--account <account>] [--json]
                             what operators changed by hand, newest first
  wallet open <account>      like account open and account freeze, with a fixed reason
  wallet freeze <account>`;

const creditWords = { options: ['credits', 'reason', 'once'], flags: ['json'], subject: 'the account' };
const stateWords = { options: ['reason'], subject: 'the account' };
const loggedMax = 200;

/** What an operator does to one account. Every change is in the operator's log. */
export function listAccountCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  const move = (direction: Direction, id: string, options: ProgramOptions) => {
    const change = readChange(id, options);
    return withServices((services) => moveCredits(services, direction, change, options.json !== undefined));
  };
  const setStateOf = (change: 'freeze' | 'open', id: string, reason: string) =>
    withServices((services) => setState(services, change, id, reason));
  return {
    'account find': {
      ...{ flags: ['json'], subject: 'an e-mail address or an id', isSubjectText: true },
      run: (text, { json }) => withServices((services) => findAccounts(services, text, json !== undefined)),
    },
    'account show': {
      ...{ flags: ['json'], subject: 'the account' },
      run: (id, { json }) => withServices((services) => showAccount(services, id, json !== undefined)),
    },
    'account grant': { ...creditWords, run: (id, options) => move('grant', id, options) },
    'account take-back': { ...creditWords, run: (id, options) => move('takeBack', id, options) },
    'account delete': {
      ...{ options: ['email', 'reason'], flags: ['forfeit'], subject: 'the account' },
      run: (accountId, { email, forfeit, reason }) => {
        const input = { accountId, email: need(email, '--email'), forfeitsCredits: forfeit !== undefined };
        const words = need(reason, '--reason');
        return withServices(async ({ accountDeletions }) => {
          await asWords(accountDeletions.delete({ ...input, reason: words }));
          console.log(`${accountId} is deleted.`);
        });
      },
    },
    ...listAccountExportCommands(withServices),
    'account freeze': { ...stateWords, run: (id, { reason }) => setStateOf('freeze', id, need(reason, '--reason')) },
    'account open': { ...stateWords, run: (id, { reason }) => setStateOf('open', id, need(reason, '--reason')) },
    'wallet freeze': { subject: 'the account', run: (id) => setStateOf('freeze', id, 'wallet freeze') },
    'wallet open': { subject: 'the account', run: (id) => setStateOf('open', id, 'wallet open') },
    'key revoke': {
      ...{ options: ['reason'], subject: 'the key' },
      run: (keyId, { reason }) => {
        const words = need(reason, '--reason');
        return withServices((services) => revokeKey(services, keyId, words));
      },
    },
    'operator invite': {
      ...{ options: ['role', 'reason'] },
      run: (_, { role = 'owner', reason }) => {
        const [wanted, words] = [readRole(role), need(reason, '--reason')];
        return withServices(async ({ people }) => printOperatorLink(await asWords(people.invite(wanted, words))));
      },
    },
    'operator renew': {
      ...{ options: ['reason'], subject: 'the operator’s e-mail or id' },
      run: (who, { reason }) => {
        const words = need(reason, '--reason');
        return withServices(async ({ people }) => printOperatorLink(await asWords(people.renew(who, words))));
      },
    },
    'operator list': {
      ...{ flags: ['json'] },
      run: (_, { json }) => withServices(({ people }) => listOperators(people, json !== undefined)),
    },
    'operator disable': {
      ...{ options: ['reason'], subject: 'the operator’s e-mail or id' },
      run: (who, { reason }) => {
        const words = need(reason, '--reason');
        return withServices(async ({ people }) => {
          await asWords(people.disable(who, words));
          console.log(`${who} has no access any more.`);
        });
      },
    },
    log: {
      ...{ options: ['account'], flags: ['json'] },
      run: (_, { account, json }) => withServices((services) => printLog(services, account, json !== undefined)),
    },
  };
}

function readRole(text: string): OperatorRole {
  const role = operatorRoles.find((one) => one === text);
  if (role === undefined) throw new UsageError(`--role is one of ${operatorRoles.join(', ')}.`);
  return role;
}

function printOperatorLink(link: string): void {
  console.error('For one person only; it is shown once, and valid for 24 hours and one use.');
  console.log(link);
}

async function listOperators(people: OperatorServices['people'], isJson: boolean): Promise<void> {
  const operators = await people.list();
  if (isJson)
    return print(operators.map(({ id, email, name, role, disabledAtMs }) => ({ id, email, name, role, disabledAtMs })));
  for (const { id, email, name, role, disabledAtMs } of operators) {
    console.log(`${id}  ${role}  ${email}  ${name}${disabledAtMs === null ? '' : '  disabled'}`);
  }
}

async function findAccounts(services: OperatorServices, text: string, isJson: boolean): Promise<void> {
  const found = await services.findAccounts(text);
  const accounts = await Promise.all(
    found.map(async ({ accountId, by }) => ({ by, ...(await getAccount(services, accountId)) })),
  );
  if (isJson) return print(accounts);
  if (accounts.length === 0)
    throw new UsageError('Nothing is found by that. E-mail addresses and names are found by how they begin.');
  for (const { id, email, by, closedAtMs } of accounts) {
    console.log(`${id}  ${email}  by ${by}${closedAtMs === null ? '' : '  deleted'}`);
  }
}

async function getAccount(services: OperatorServices, accountId: string) {
  const account = await services.findAccount(accountId);
  if (account === null) throw new UsageError('There is no such account. Find it with: account find <e-mail or id>');
  const { id, email, name, createdAtMs, emailVerifiedAtMs, closedAtMs } = account;
  return { id, email, name, createdAtMs, emailVerifiedAtMs, closedAtMs };
}

async function showAccount(services: OperatorServices, accountId: string, isJson: boolean): Promise<void> {
  const account = await getAccount(services, accountId);
  const { ledgerReader, keys, log, riskMarks } = services;
  const [balance, standing, apiKeys, events, marks] = await Promise.all([
    ledgerReader.findBalance(accountId),
    ledgerReader.findStanding(accountId),
    keys.listKeys(accountId),
    log.list({ first: 10, accountId }),
    riskMarks.listOf(accountId),
  ]);
  if (isJson) return print({ ...account, ...balance, ...standing, keys: apiKeys, marks, events });
  const lines: [string, string][] = [
    ['account', account.id],
    ['e-mail', `${account.email}${account.emailVerifiedAtMs === null ? ' (not verified)' : ''}`],
    ['since', new Date(account.createdAtMs).toISOString()],
    ['available', `${formatCredits(balance.availableMillicredits)} credits`],
    ['held', `${formatCredits(balance.heldMillicredits)} credits`],
    ...(standing.debtMillicredits > 0
      ? [['debt', `${formatCredits(standing.debtMillicredits)} credits`] as [string, string]]
      : []),
    ['state', describeState(account.closedAtMs, standing)],
    ...marks.filter(({ isHeld }) => isHeld).map((mark): [string, string] => ['marked', describeMark(mark)]),
    ...apiKeys.map(({ id, maskedSecret, name, revokedAtMs }): [string, string] => [
      'key',
      `${id}  ${maskedSecret}  ${name}${revokedAtMs === null ? '' : '  revoked'}`,
    ]),
    ...events.map((event): [string, string] => ['changed', describeEvent(event)]),
  ];
  for (const [what, text] of lines) console.log(`${what.padEnd(10)} ${text}`);
}

function describeState(
  closedAtMs: number | null,
  { isFrozen, frozenFor }: { isFrozen: boolean; frozenFor: readonly string[] },
) {
  if (closedAtMs !== null) return 'deleted';
  return isFrozen ? `frozen for ${frozenFor.join(', ')}` : 'open';
}

type Direction = 'grant' | 'takeBack';

// All of it before the database is asked for: a slip of the pen needs none.
function readChange(accountId: string, { credits, reason, once }: ProgramOptions): CreditChange {
  const amountMillicredits = readCredits(credits);
  if (once !== undefined && !/^[\w.:-]{1,40}$/.test(once)) {
    throw new UsageError('--once is a word of at most 40 letters, digits, dots, colons, dashes and underscores.');
  }
  const change = { accountId, amountMillicredits, reason: need(reason, '--reason') };
  return once === undefined ? change : { ...change, once };
}

async function moveCredits(
  { desk }: OperatorServices,
  direction: Direction,
  change: CreditChange,
  isJson: boolean,
): Promise<void> {
  const moved = await asWords(desk[direction](change));
  const { accountId, amountMillicredits } = change;
  if (isJson) return print({ accountId, direction, amountMillicredits, ...moved });
  console.log(describeMove(direction, change, moved));
}

/** What is said of a word that has come before, on this machine as from afar. @param available Credits, with their decimals. */
export function describeRepeat(accountId: string, available: string): string {
  return `${accountId}: done before with this --once; nothing was moved. ${available} credits are available now.`;
}

function describeMove(
  direction: Direction,
  { accountId, amountMillicredits }: CreditChange,
  { isReplay, availableAfterMillicredits }: GrantResult & { status: 'granted' },
): string {
  const verb = direction === 'grant' ? 'given to' : 'taken from';
  const left = `${formatCredits(availableAfterMillicredits)} credits are available now.`;
  if (isReplay) return describeRepeat(accountId, formatCredits(availableAfterMillicredits));
  return `${formatCredits(amountMillicredits)} credits were ${verb} ${accountId}. ${left}`;
}

async function setState(
  { desk }: OperatorServices,
  change: 'freeze' | 'open',
  accountId: string,
  reason: string,
): Promise<void> {
  await asWords(desk[change](accountId, reason));
  const words = change === 'freeze' ? 'frozen: no new call begins' : 'open as far as auditor and operator go';
  console.log(`${accountId}: ${words}.`);
}

async function revokeKey({ desk, ownerOf }: OperatorServices, keyId: string, reason: string): Promise<void> {
  const accountId = await ownerOf.key(keyId);
  if (accountId === null)
    throw new UsageError('There is no such key. An id such as key_01K… is needed, not the secret.');
  await asWords(desk.revokeKey({ accountId, keyId }, reason));
  console.log(`${keyId} of ${accountId} is revoked.`);
}

async function printLog({ log }: OperatorServices, accountId: string | undefined, isJson: boolean): Promise<void> {
  const events = await log.list({ first: loggedMax, ...(accountId === undefined ? {} : { accountId }) });
  if (isJson) return print(events);
  for (const event of events) console.log(`${event.accountId || '-'}  ${describeEvent(event)}`);
}

function describeMark({ id, kind, note, endsAtMs, setBy }: StandingRiskMark): string {
  const end = endsAtMs === null ? '' : ` until ${new Date(endsAtMs).toISOString()}`;
  return `${kind}${end}  ${id}  by ${setBy}: ${note}`;
}

interface LoggedEvent {
  readonly atMs: number;
  readonly actor: string;
  readonly action: string;
  readonly subject: string | null;
  readonly amountMillicredits: number | null;
  readonly reason: string;
}

function describeEvent({ atMs, actor, action, subject, amountMillicredits, reason }: LoggedEvent): string {
  const amount = amountMillicredits === null ? '' : ` ${amountMillicredits / 1_000} credits`;
  return `${new Date(atMs).toISOString()}  ${actor}  ${action}${amount}${subject === null ? '' : ` ${subject}`}: ${reason}`;
}

function print(facts: object): void {
  console.log(JSON.stringify(facts, null, 2));
}
