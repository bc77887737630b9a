import type { FreezeReason } from './ledger-types.js';

/** Reads the column that keeps why a wallet is frozen. */
export function readFreezeReasons(frozenFor: string | null): readonly FreezeReason[] {
  return frozenFor === null || frozenFor === '' ? [] : (frozenFor.split(',') as FreezeReason[]);
}
