import { type Millicredits, toMillicredits } from '../kernel/millicredits.js';

/** What an operation has left of a wallet. */
export interface LeftAfter {
  /** What may be spent; less than 0 where more is reserved than there is. */
  readonly availableAfterMillicredits: Millicredits;
  /** Credits in less credits used: reservations are not taken off. Less than 0 is owed. */
  readonly balanceAfterMillicredits: Millicredits;
}

/** What an account is told of its balance. What is available and what is held are the balance together. */
export interface DividedBalance {
  /** What may be spent now; less than 0 only by what is owed. */
  readonly availableMillicredits: Millicredits;
  /** What of the balance running calls have reserved; at least 0. */
  readonly heldMillicredits: Millicredits;
  /** What was used or taken back beyond all that came in; at least 0. The next credits in repay it first. */
  readonly debtMillicredits: Millicredits;
}

/**
 * Divides a balance, credits in less credits used, for whoever is told of it. A refund, a dispute or a correction may take credits that
 * calls have reserved: nothing is owed for that before they use them, and no more is told as reserved than there is.
 * @param reservedMillicredits What running calls have reserved; at least 0.
 */
export function divideBalance(balanceMillicredits: number, reservedMillicredits: number): DividedBalance {
  const held = Math.min(reservedMillicredits, Math.max(0, balanceMillicredits));
  return {
    availableMillicredits: toMillicredits(balanceMillicredits - held),
    heldMillicredits: toMillicredits(held),
    debtMillicredits: toMillicredits(Math.max(0, -balanceMillicredits)),
  };
}
