import { tokensOf } from '../../ledger/settlements/spool-records.js';
import { printWaitingSettlements } from '../../ledger/settlements/waiting-settlements.js';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import { asWords, need, noReason, type OperatorCommand } from '../operator-program.js';

export const settlementUsage = `  settlements list           what was refused and waits for a decision, and what waits to be booked
  settlements book <call> [--reason "…"]      books a refused settlement now that what stood in its way is gone
  settlements dismiss <call> --reason "…"     charges nothing for it; it stays on record with the reason`;

/** What is decided about settlements that the ledger refused: those of this machine. Each decision is in the operator's log. */
export function listSettlementCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  return {
    'settlements list': { run: () => withServices(list) },
    'settlements book': {
      options: ['reason'],
      subject: 'the call',
      run: (callId, { reason = noReason }) =>
        withServices(async ({ settlements }) => {
          await asWords(settlements.book(callId, reason));
          console.log(`${callId} is booked.`);
        }),
    },
    'settlements dismiss': {
      options: ['reason'],
      subject: 'the call',
      run: (callId, { reason }) => {
        const words = need(reason, '--reason');
        return withServices(async ({ settlements }) => {
          await asWords(settlements.dismiss(callId, words));
          console.log(`${callId} is dismissed.`);
        });
      },
    },
  };
}

async function list({ settlements, findWaitingSettlements }: OperatorServices): Promise<void> {
  for (const { input, reason, quarantinedAtMs } of await settlements.list()) {
    const since = new Date(quarantinedAtMs).toISOString();
    console.log(`${input.callId}  ${input.accountId}  ${tokensOf(input)} tokens  refused ${since}: ${reason}`);
  }
  const waiting = printWaitingSettlements(await findWaitingSettlements());
  for (const line of waiting.length > 0 ? waiting : ['Nothing waits.']) console.log(line);
}
