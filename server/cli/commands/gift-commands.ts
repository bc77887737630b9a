import { formatCredits, toMillicredits } from '../../kernel/millicredits.js';
import type { GiftDesk } from '../../operator/money/gift-desk.js';
import type { WithServices } from '../open-operator-services.js';
import {
  asWords,
  noReason,
  type OperatorCommand,
  type ProgramOptions,
  readCredits,
  readDay,
  UsageError,
} from '../operator-program.js';

export const giftUsage = `  gift-code create --credits 500 [--count 3] [--expires 2026-12-31] [--reason "…"]
                             prints the codes, once; the first account to claim one gets its credits
  gift-code list [--json]    the newest 100, and whether each was claimed
  gift-code revoke <id> [--reason "…"]`;

type KnownCode = Awaited<ReturnType<GiftDesk['list']>>[number];

/** Credits that are given away by codes. Every change is in the operator's log. */
export function listGiftCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  return {
    'gift-code create': {
      options: ['credits', 'count', 'expires', 'reason'],
      run: async (_, { reason = noReason, ...options }) => {
        const gift = readGift(options);
        await withServices(async ({ gifts }) => {
          const made = await asWords(gifts.create(gift, reason, null), ['invalid_value']);
          console.error('These codes are shown once; only their hashes are stored.');
          for (const { id, code } of made) console.log(`${code}  ${id}`);
        });
      },
    },
    'gift-code list': {
      flags: ['json'],
      run: (_, { json }) =>
        withServices(async ({ gifts }) => {
          const codes = await gifts.list({ first: 100 });
          if (json !== undefined) console.log(JSON.stringify(codes, null, 2));
          else for (const code of codes) console.log(describe(code));
        }),
    },
    'gift-code revoke': {
      options: ['reason'],
      subject: 'the id',
      run: (id, { reason = noReason }) =>
        withServices(async ({ gifts }) => {
          await asWords(gifts.revoke(id, reason, null), ['invalid_value', 'not_found']);
          console.log(`${id} is revoked.`);
        }),
    },
  };
}

// All of it before the database is asked for: a slip of the pen needs none.
function readGift({ credits, count = '1', expires }: ProgramOptions) {
  const creditsMillicredits = readCredits(credits);
  if (!/^\d{1,6}$/.test(count)) throw new UsageError('--count is a whole number such as 3.');
  const expiresAtMs = expires === undefined ? null : readDay(expires, '--expires');
  return { creditsMillicredits, count: Number(count), expiresAtMs };
}

function describe({ id, hint, creditsMillicredits, state, claimedBy, expiresAtMs }: KnownCode): string {
  const credits = formatCredits(toMillicredits(creditsMillicredits));
  const day = expiresAtMs === null ? '' : new Date(expiresAtMs).toISOString();
  const became = { claimed: `claimed by ${claimedBy}`, revoked: 'revoked', expired: `expired ${day}`, open: '' }[state];
  const standing = state === 'open' ? (day === '' ? 'open' : `open until ${day}`) : became;
  return `${id}  …${hint}  ${credits} credits  ${standing}`;
}
