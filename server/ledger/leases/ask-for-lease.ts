import { createId } from '../../kernel/ids.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import type { OperationResult } from '../commits/decide-batch.js';
import type { HoldInput } from '../ledger-types.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import { sizeLease, soonMs } from './lease-size.js';
import type { LimitedKey } from './lease-types.js';
import type { LeaseBudget, LeasedWallet } from './own-lease.js';

interface Asking {
  readonly instance: string;
  readonly submit: (operation: LedgerOperation) => Promise<OperationResult>;
  readonly readMs: () => number;
}

/**
 * Asks for a lease for calls such as this one, if they follow each other and nobody was turned away just now. Nobody waits for it.
 * @returns settles when it was answered, never rejects; null: nothing was asked.
 */
export function askForLease(
  input: HoldInput,
  { wallet, budget }: { readonly wallet: LeasedWallet; readonly budget: LeaseBudget },
  { instance, submit, readMs }: Asking,
): Promise<void> | null {
  const quietUntilMs = Math.max(wallet.quietUntilMs, budget.quietUntilMs);
  if (!budget.traffic.isBusy || budget.isAsking || readMs() < quietUntilMs) return null;
  const { amount, acceptFrom } = sizeLease(budget.traffic);
  const amounts = { amountMillicredits: toMillicredits(amount), acceptFromMillicredits: toMillicredits(acceptFrom) };
  const key = toLimitedKey(input);
  const wanted = { leaseId: createId('lease'), accountId: input.accountId, ...amounts, ...(key && { key }) };
  budget.isAsking = true;
  const noteRefused = () => {
    budget.quietUntilMs = readMs() + soonMs;
  };
  return submit({ kind: 'lease', input: wanted, instance })
    .then((result) => {
      if (result.status !== 'leased') noteRefused();
    }, noteRefused)
    .finally(() => {
      budget.isAsking = false;
    });
}

function toLimitedKey({ keyId, keyRevision, isKeyLimited, facts: { startedAtMs } }: HoldInput): LimitedKey | null {
  return isKeyLimited && keyRevision !== undefined ? { keyId, keyRevision, startedAtMs } : null;
}
