import { tokensOf } from '../../ledger/settlements/spool-records.js';
import { printWaitingSettlements } from '../../ledger/settlements/waiting-settlements.js';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import { asWords, need, noReason, type OperatorCommand } from '../operator-program.js';

export const settlementUsage = `  settlements list           settlements that were refused and need a decision, and settlements that wait to be booked
  settlements book <call> [--reason "…"]      books a refused settlement once its cause is mended
  settlements dismiss <call> --reason "…"     charges nothing for it; the record stays, with the reason`;

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
