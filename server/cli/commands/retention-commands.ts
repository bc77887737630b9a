import type { RetentionChoice } from '../../ledger/receipts/receipt-retention.js';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import { asWords, need, type OperatorCommand, UsageError } from '../operator-program.js';

export const retentionUsage = `  retention show [--json]    how long each kind of data is kept
  retention set 400 --reason "…"
                             how many days receipts of calls are kept, or forever; a shorter time is in force after 24 hours`;

/** For how long receipts are kept. Every change is in the operator's log. */
export function listRetentionCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  return {
    'retention show': {
      flags: ['json'],
      run: (_, { json }) => withServices((services) => showRetention(services, json !== undefined)),
    },
    'retention set': {
      options: ['reason'],
      subject: 'the days, or forever',
      run: (text, { reason }) => {
        const [days, words] = [readDays(text), need(reason, '--reason')];
        return withServices(async ({ dataRetention }) => {
          await asWords(dataRetention.choose(days, words));
          const { next } = await dataRetention.findStanding();
          const from = next === null ? 'now' : new Date(next.inForceAtMs).toISOString();
          console.log(`Receipts are kept ${describeDays(days)} from ${from} on.`);
        });
      },
    },
  };
}

/** @throws UsageError. @returns null for ever. */
function readDays(text: string): number | null {
  if (text === 'forever') return null;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('Name a number of days, such as 400, or forever.');
  return Number(text);
}

function describeDays(days: number | null): string {
  return days === null ? 'for ever' : `for ${days} days after their month`;
}

function describeChoice({ createdBy, createdAtMs, reason }: RetentionChoice): string {
  return `chosen by ${createdBy} on ${new Date(createdAtMs).toISOString()}: ${reason}`;
}

async function showRetention({ dataRetention }: OperatorServices, isJson: boolean): Promise<void> {
  const { days, choice, next } = await dataRetention.findStanding();
  const oldestReceiptAtMs = await dataRetention.findOldestReceiptMs();
  const { isExported, others } = dataRetention;
  if (isJson)
    return console.log(JSON.stringify({ days, choice, next, oldestReceiptAtMs, isExported, others }, null, 2));
  const by = choice === null ? 'as RETENTION_DAYS says' : describeChoice(choice);
  console.log(`Receipts of calls: ${describeDays(days)}, ${by}`);
  if (next !== null) {
    const from = new Date(next.inForceAtMs).toISOString();
    console.log(`From ${from} on: ${describeDays(next.days)}, ${describeChoice(next)}`);
  }
  if (oldestReceiptAtMs !== null) console.log(`The oldest is of ${new Date(oldestReceiptAtMs).toISOString()}.`);
  for (const { what, days: kept, words } of others) {
    console.log(`${what}: ${kept === null ? 'for ever' : kept === 0 ? 'less than a day' : `${kept} days`}. ${words}`);
  }
}
