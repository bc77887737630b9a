import 'reflect-metadata';
import { isMainThread } from 'node:worker_threads';
import { toMillicredits } from '../server/kernel/millicredits.js';
import type { Ledger } from '../server/ledger/ledger.js';

/*
 * Loaded into a server before its own code: takes the books out of the story of a call, so that the rest of it can be
 * measured. The product has no such switch, and must not have one.
 */
const plenty = toMillicredits(1_000_000_000);

const unbooked: Pick<Ledger, 'placeHold' | 'settleHold' | 'voidHold' | 'renewHold'> = {
  placeHold: (input) => ({
    status: 'held',
    heldMillicredits: toMillicredits(input.amountMillicredits),
    availableAfterMillicredits: plenty,
  }),
  settleHold: async () => settled,
  voidHold: async () => settled,
  renewHold: async () => ({ status: 'renewed' }),
};

const settled = {
  status: 'settled',
  chargedMillicredits: toMillicredits(70),
  absorbedMillicredits: toMillicredits(0),
  availableAfterMillicredits: plenty,
  balanceAfterMillicredits: plenty,
  isReplay: false,
} as const;

if (isMainThread) {
  const { Ledger: OurLedger } = await import('../server/ledger/ledger.js');
  Object.assign(OurLedger.prototype, unbooked);
}
