import { formatCredits, toMillicredits } from '../../kernel/millicredits.js';
import type { AccountMend } from '../../ledger/checks/mend-usage.js';
import type { MendResult } from '../../operator/money/usage-desk.js';
import type { WithServices } from '../open-operator-services.js';
import { asWords, need, type OperatorCommand, type ProgramOptions, UsageError } from '../operator-program.js';

export const usageUsage = `  usage mend [--account acct_…] [--json]
                             lists hours of usage and counters of keys that differ from the receipts, and sums that
                             differ from the journal; changes nothing
  usage mend --apply --reason "…" [--account acct_…] [--json]
                             repairs them while servers run; status 2 when something is left`;

const reasons = {
  too_young: 'left: an hour of it began less than two hours ago; run this again later',
  receipts_removed: 'left: hours of a month whose receipts were removed',
  changes_meanwhile: 'left: it changes meanwhile; run this again',
} as const;

/** What mends totals that are wrong. Every change is in the operator's log. */
export function listUsageCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  return {
    'usage mend': {
      options: ['account', 'reason'],
      flags: ['apply', 'json'],
      run: async (_, options) => {
        const reason = readReason(options);
        let status = 0;
        await withServices(async ({ usage }) => {
          const accounts: AccountMend[] = [];
          const onAccount = (account: AccountMend) => {
            if (options.json !== undefined) accounts.push(account);
            else console.log(describe(account));
          };
          const result = await asWords(usage.mend({ accountId: options.account ?? null, reason, onAccount }), [
            'not_found',
          ]);
          if (options.json !== undefined) console.log(JSON.stringify({ ...result, accounts }, null, 2));
          else for (const line of describeAll(result, reason !== null)) console.log(line);
          status = reason !== null && result.left > 0 ? 2 : 0;
        });
        return status;
      },
    },
  };
}

/** @returns null: nothing is to be changed. @throws UsageError */
function readReason({ apply, reason }: ProgramOptions): string | null {
  if (apply !== undefined) return need(reason, '--reason');
  if (reason !== undefined) throw new UsageError('Say --apply as well: without it nothing is changed.');
  return null;
}

function describe({ accountId, hours, calls, tokens, chargedMillicredits, counters, left }: AccountMend): string {
  const sums = `${signed(calls)} calls, ${signed(tokens)} tokens, ${formatCredits(toMillicredits(chargedMillicredits))} credits`;
  const parts = [
    ...(hours > 0 ? [`${hours} rows of hours: ${sums}`] : []),
    ...(counters > 0 ? [`${counters} counters of keys`] : []),
    ...(left === null ? [] : [reasons[left]]),
  ];
  return `${accountId}  ${parts.join('; ')}`;
}

function describeAll(
  { accounts, left, totalsFromMs, journalFromMs }: MendResult,
  isApplied: boolean,
): readonly string[] {
  const totals = [
    ...describeSums('The sums of all accounts', totalsFromMs),
    ...describeSums('The sums of the journal', journalFromMs),
  ];
  if (accounts === 0 && totals.length === 0) return ['Nothing is wrong.'];
  if (!isApplied) return [...totals, 'Nothing was changed. Mend it: usage mend --apply --reason "…"'];
  return [
    ...totals.map((line) => `${line} They were taken back; a running server makes them anew within minutes.`),
    left === 0 ? 'All of it is mended. Prove it: npm run ledger:verify' : `${left} accounts have something left.`,
  ];
}

function describeSums(what: string, fromMs: number | null): readonly string[] {
  return fromMs === null ? [] : [`${what} are wrong from ${new Date(fromMs).toISOString()} on.`];
}

function signed(count: number): string {
  return count > 0 ? `+${count}` : String(count);
}
