import { AppError } from '../../kernel/app-error.js';
import { formatCredits } from '../../kernel/millicredits.js';
import { toMonth } from '../../operator/money/money-desk.js';
import type { UsageTotal } from '../../totals/total-sum.js';
import { usageTotalsBy } from '../../totals/usage-totals.js';
import type { WithServices } from '../open-operator-services.js';
import { asWords, need, type OperatorCommand, UsageError } from '../operator-program.js';

export const moneyUsage = `  money show --month 2026-01 [--json]
                             sales, refunds, disputes, gifts, grants and usage of a month, by day, and the liability to customers
  money usage --month 2026-01 [--by model] [--json]
                             usage of all accounts, its cost and margin; by: model, provider, account or day
  money close --month 2026-01
                             the month as CSV, from opening to closing liability`;

/** What an operator reads of the money. */
export function listMoneyCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  return {
    'money show': {
      options: ['month'],
      flags: ['json'],
      run: (_, { month, json }) => {
        const range = readMonth(month);
        return withServices(async ({ money }) => {
          const [report, liability] = [
            await asWords(money.report(range), ['invalid_value']),
            await asWords(money.findLiability(), ['invalid_value']),
          ];
          if (json !== undefined) return printJson({ ...report, liability });
          for (const [name, amount] of Object.entries(report.sums)) printAmount(name, amount);
          printAmount('opening', report.opening);
          printAmount('closing', report.closing);
          printAmount(liability.summedUntilMs === null ? 'owed now' : 'owed then', liability.total);
          tellEnd('The sums are', report.summedUntilMs);
          tellEnd('What is owed is', liability.summedUntilMs);
        });
      },
    },
    'money usage': {
      options: ['month', 'by'],
      flags: ['json'],
      run: (_, { month, by = 'model', json }) => {
        const range = readMonth(month);
        const wanted = usageTotalsBy.find((one) => one === by);
        if (wanted === undefined) throw new UsageError(`--by is one of ${usageTotalsBy.join(', ')}.`);
        return withServices(async ({ money }) => {
          const usage = await asWords(money.readUsage(range, wanted, 500), ['invalid_value']);
          if (json !== undefined) return printJson(usage);
          for (const group of [...usage.groups, usage.total]) printUsage(group);
          tellEnd('The use is', usage.summedUntilMs);
          console.error(
            'Credits charged, cost, margin (both in credits, 1,000 to the dollar; ? where a cost is not set: docs/operations/providers-and-prices.md), calls.',
          );
        });
      },
    },
    'money close': {
      options: ['month'],
      run: (_, { month }) => {
        readMonth(month);
        const name = String(month);
        return withServices(async ({ money }) => {
          process.stdout.write(await asWords(money.writeClose(name), ['invalid_value']));
        });
      },
    },
  };
}

/** A month as it is typed, in days of UTC. @throws UsageError */
export function readMonth(month: string | undefined) {
  try {
    return toMonth(need(month, '--month'));
  } catch (error) {
    throw error instanceof AppError ? new UsageError(error.message) : error;
  }
}

function printUsage({ name, calls, charged, cost, callsWithoutCost, margin }: UsageTotal): void {
  const known = callsWithoutCost === 0 || cost > 0n ? formatCredits(cost) : '?';
  const figures = [
    formatCredits(charged),
    callsWithoutCost > 0 && cost > 0n ? `>${known}` : known,
    margin === null ? '?' : formatCredits(margin),
  ];
  console.log(`${figures.map((text) => text.padStart(18)).join('')}  ${String(calls).padStart(10)}  ${name}`);
}

function printAmount(name: string, amount: bigint): void {
  console.log(`${name.padEnd(18)} ${formatCredits(amount).padStart(20)}`);
}

/** Up to when figures are true. */
function tellEnd(subject: string, summedUntilMs: number | null): void {
  if (summedUntilMs === null) return;
  console.error(`${subject} as of ${new Date(summedUntilMs).toISOString()}: what came later is not summed yet.`);
}

function printJson(facts: object): void {
  console.log(JSON.stringify(facts, (_, value) => (typeof value === 'bigint' ? toJson(value) : value), 2));
}

/** A number as long as it is exact, else digits. */
function toJson(sum: bigint): number | string {
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum);
}
