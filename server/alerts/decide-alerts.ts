import { formatGroupedCredits, toCredits, toMillicredits } from '../kernel/millicredits.js';
import { spanAt } from '../kernel/spend-period.js';
import type { LastCredits } from '../ledger/find-last-credits.js';
import type { BudgetedKey, BudgetedMember } from './find-use.js';
import type { FillingShare } from './told-fillings.js';

/** Something to tell an account of its use. */
export interface UseAlert {
  /** The same for the same thing, so that it is told once. */
  readonly subject: string;
  readonly title: string;
  /** For a mail. */
  readonly text: string;
  /** For a webhook. */
  readonly event: Readonly<Record<string, string | number>>;
  /** The title of what an endpoint is sent, where it is another one. */
  readonly endpointTitle?: string;
  /** What a member is told of it by a mail of their own; false: nothing. */
  readonly toMember?: false | MemberMail;
  /** Of what has no period, so that it may be told long before it is over. */
  readonly filling?: FillingShare;
}

/** A mail to a member alone. */
export interface MemberMail {
  readonly personId: string;
  readonly email: string;
  readonly subject: string;
  readonly title: string;
  readonly text: string;
}

const hourMs = 3_600_000;
const shares = [100, 80, 50] as const;
/** An hour is a spike from so many times the usual hour on, */
const spikeTimes = 5;
/** … if it costs this much, which is a dollar, */
const spikeMillicreditsMin = 1_000_000;
/** … and the week before had so many hours of use that there is a usual one. */
const usedHoursMin = 24;

const periodWords = { day: 'today', week: 'this week', month: 'this month' } as const;
const asNumber = (millicredits: number) => toCredits(toMillicredits(millicredits));

const inCredits = (millicredits: number) => formatGroupedCredits(toMillicredits(millicredits));

/** The highest of 50, 80 and 100 % of a whole that a part has reached, counted exactly. */
function findShare(part: number, whole: number): (typeof shares)[number] | undefined {
  return shares.find((share) => BigInt(part) * 100n >= BigInt(whole) * BigInt(share));
}

/**
 * The highest of 50, 80 and 100 % of its budget that a key has reached in the running period; null: none. A budget that was changed is
 * another one, which is told anew.
 */
export function decideBudgetAlert(key: BudgetedKey, spentMillicredits: number, nowMs: number): UseAlert | null {
  const { keyId, name, limitMillicredits: limit, period } = key;
  const share = findShare(spentMillicredits, limit);
  if (share === undefined) return null;
  const span = spanAt(period, nowMs);
  const renewsAt = new Date(span.endsAtMs).toISOString();
  const title =
    share === 100
      ? `The key “${name}” has used up its budget for ${periodWords[period]}`
      : `The key “${name}” has used ${share} % of its budget for ${periodWords[period]}`;
  const consequence =
    share === 100
      ? `Its calls are refused until ${renewsAt}, when the next ${period} begins.`
      : `At 100 %, its calls are refused until ${renewsAt}, when the next ${period} begins.`;
  return {
    subject: `budget:${keyId}:${span.id}:${limit}:${share}`,
    title,
    text: `${inCredits(spentMillicredits)} of ${inCredits(limit)} credits were spent. ${consequence}`,
    event: {
      type: 'budget.used',
      apiKeyId: keyId,
      apiKeyName: name,
      percent: share,
      spentCredits: asNumber(spentMillicredits),
      budgetCredits: asNumber(limit),
      renewsAt,
    },
  };
}

/** A member, as they are told of their budget. */
export interface ToldMember {
  /** null: no member any more. */
  readonly name: string | null;
  /** What the account is called. */
  readonly accountName: string;
  /** Where they are told themselves; null: the account wants no mails of its use, or has this address as well. */
  readonly email: string | null;
}

/**
 * The same of the budget that a member has for a month. The name is told to people of the account alone: what an endpoint is sent has the
 * id, since nobody can take a name back from there once the person has deleted their account.
 */
export function decideMemberAlert(
  { personId, limitMillicredits: limit, spentMillicredits: spent }: BudgetedMember,
  { accountId, nowMs }: { readonly accountId: string; readonly nowMs: number },
): ((told: ToldMember) => UseAlert) | null {
  const share = findShare(spent, limit);
  if (share === undefined) return null;
  const span = spanAt('month', nowMs);
  const renewsAt = new Date(span.endsAtMs).toISOString();
  const usedOf = (whose: string) => `used ${share === 100 ? '' : `${share} % of `}${whose} budget for this month`;
  const textFor = (who: string) =>
    `${inCredits(spent)} of ${inCredits(limit)} credits were spent. ${share === 100 ? 'Calls' : 'At 100 %, calls'} with keys that ${who} created are refused until ${renewsAt}, when the next month begins.`;
  const what = `${span.id}:${limit}:${share}`;
  const amounts = { spentCredits: asNumber(spent), budgetCredits: asNumber(limit) };
  return ({ name, accountName, email }) => ({
    subject: `member-budget:${personId}:${accountId}:${what}`,
    title: `${name === null ? 'A former member' : `“${name}”`} has ${usedOf('their')}`,
    endpointTitle: `A member has ${usedOf('their')}`,
    text: textFor('they have'),
    event: { type: 'budget.used', memberId: personId, percent: share, ...amounts, renewsAt },
    toMember: email !== null && {
      personId,
      email,
      subject: `own-budget:${accountId}:${personId}:${what}`,
      title: `You have ${usedOf('your')} in the account “${accountName}”`,
      text: textFor('you have'),
    },
  });
}

/** The highest of 50, 80 and 100 % that are used of the balance after the last credits in, once for each of these; null: none. */
export function decideBalanceAlert(
  accountId: string,
  lastCredits: LastCredits,
): (UseAlert & { readonly filling: FillingShare }) | null {
  const { balanceMillicredits: filled, usedMillicredits: used, walletSeq } = lastCredits;
  const share = findShare(used, filled);
  if (share === undefined) return null;
  const left = Math.max(0, filled - used);
  const consequence =
    share === 100
      ? 'Calls are refused until you add credits.'
      : 'When they are used up, calls are refused. Buy credits on the page “Credits”.';
  return {
    subject: `balance:${accountId}:${walletSeq}:${share}`,
    filling: { walletSeq, share },
    title:
      share === 100
        ? 'Your balance is used up'
        : `${share} % of the ${inCredits(filled)} credits after your last top-up or gift were used`,
    text: `${inCredits(left)} of the ${inCredits(filled)} credits that you had after your last top-up or gift are left. ${consequence}`,
    event: {
      type: 'balance.used',
      percent: share,
      usedCredits: asNumber(used),
      filledCredits: asNumber(filled),
      leftCredits: asNumber(left),
    },
  };
}

/**
 * Whether this hour is a spike: five times the usual hour of the week before, more than any of them, and worth at least a dollar. Told
 * once a day (UTC). @param hours What was spent in each hour of the last week and in this one, by the hour's beginning.
 */
export function decideSpikeAlert(
  accountId: string,
  hours: ReadonlyMap<number, number>,
  nowMs: number,
): UseAlert | null {
  const thisHourMs = nowMs - (nowMs % hourMs);
  const spent = hours.get(thisHourMs) ?? 0;
  const before = [...hours].filter(([atMs, millicredits]) => atMs < thisHourMs && millicredits > 0);
  if (spent < spikeMillicreditsMin || before.length < usedHoursMin) return null;
  const amounts = before.map(([, millicredits]) => millicredits);
  const usual = Math.round(amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length);
  if (spent < usual * spikeTimes || spent <= Math.max(...amounts)) return null;
  return {
    subject: `spike:${accountId}:${new Date(nowMs).toISOString().slice(0, 10)}`,
    title: `${inCredits(spent)} credits were spent in this hour, ${Math.floor(spent / Math.max(1, usual))} times the usual`,
    text: `An hour of the last week cost ${inCredits(usual)} credits on average, and ${inCredits(Math.max(...amounts))} at most. If this is not intended, revoke the key that makes the calls, or give it a budget.`,
    event: {
      type: 'spending.spike',
      hour: new Date(thisHourMs).toISOString(),
      spentCredits: asNumber(spent),
      usualCredits: asNumber(usual),
    },
  };
}
