import { toMillicredits } from '../../kernel/millicredits.js';
import type { OperationResult } from '../commits/decide-batch.js';
import type { BatchOutcome, LedgerStore } from '../commits/ledger-store.js';
import type { LedgerOperation } from '../tables/ledger-rows.js';
import type { LeaseBook } from './lease-book.js';

interface LeaseCommitsParts {
  readonly book: LeaseBook;
  readonly instance: string;
  readonly readMs: () => number;
}

type Committed = Extract<BatchOutcome, { status: 'committed' }>;

/**
 * The same store. The book of leases notes each of its commits, in order and before anybody is answered; and what is leased and not
 * reserved counts as available in the answers, with the leases of other processes as of their last renewal.
 */
export function watchCommits(store: LedgerStore, parts: LeaseCommitsParts): LedgerStore {
  return {
    operationsPerBatchMax: store.operationsPerBatchMax,
    commitBatch: async (operations) => {
      const sentMs = parts.readMs();
      const outcome = await store.commitBatch(operations);
      return outcome.status === 'committed'
        ? { ...outcome, results: tellLeases(operations, outcome, { ...parts, sentMs }) }
        : outcome;
    },
    close: () => store.close(),
  };
}

function tellLeases(
  operations: readonly LedgerOperation[],
  { results, openLeases = [], keyRooms = [] }: Committed,
  { book, instance, sentMs }: LeaseCommitsParts & { readonly sentMs: number },
): readonly OperationResult[] {
  const elsewhere = new Map<string, number>();
  const keysElsewhere = new Set<string | null>();
  for (const lease of openLeases) {
    if (lease.instance === instance) continue;
    elsewhere.set(lease.accountId, (elsewhere.get(lease.accountId) ?? 0) + lease.unreservedMillicredits);
    keysElsewhere.add(lease.keyId);
  }
  for (const room of keyRooms) book.noteKeyRoom(room);
  const usedUpKeys = new Set(keyRooms.filter((room) => room.leftMillicredits <= 0).map(({ keyId }) => keyId));
  return operations.map((operation, index) => {
    const result = results[index] as OperationResult;
    const { accountId } = operation.input;
    note(book, operation, result, sentMs);
    const short = findShortage(operation, result, usedUpKeys);
    if (short) book.noteShort(short, short.keyId ? keysElsewhere.has(short.keyId) : elsewhere.has(accountId));
    if (!('availableAfterMillicredits' in result)) return result;
    const available = result.availableAfterMillicredits;
    book.noteAvailable(accountId, available);
    const leased = book.findUnreserved(accountId) + (elsewhere.get(accountId) ?? 0);
    return leased === 0 ? result : { ...result, availableAfterMillicredits: toMillicredits(available + leased) };
  });
}

function note(book: LeaseBook, { kind, input }: LedgerOperation, result: OperationResult, sentMs: number): void {
  switch (kind) {
    case 'settle':
    case 'void':
      if (result.status !== 'settled') book.release(input.callId);
      else {
        book.release(input.callId, result.leasedMillicredits ?? 0);
        // Another process has ended it, as if this one had died: no call may begin against what others spend meanwhile.
        if (result.endedLeaseId) book.remove(input.accountId, result.endedLeaseId);
      }
      break;
    case 'promote': {
      const isOver = result.status === 'refused' && result.reason === 'call_already_ended';
      if (isOver || result.status === 'promoted') book.release(input.callId);
      break;
    }
    case 'lease':
      if (result.status === 'leased') book.addLease(input, result, sentMs);
      break;
    case 'renew_lease':
      book.noteRenewal(input, result, sentMs);
      break;
    case 'end_lease':
      book.remove(input.accountId, input.leaseId);
      break;
    case 'wallet_state':
      if (input.state !== 'open') book.drain(input.accountId);
      break;
    case 'reversal':
      // What goes back pays the debt.
      if (result.status === 'granted' && result.availableAfterMillicredits < 0) book.drain(input.accountId);
      break;
  }
}

/** What a call got less of than it asked for, leases of it included: the key's limit, or, with null, the balance. */
function findShortage(
  { kind, input }: LedgerOperation,
  result: OperationResult,
  usedUpKeys: ReadonlySet<string>,
): { readonly accountId: string; readonly keyId: string | null } | null {
  if (kind !== 'hold') return null;
  const { accountId, keyId } = input;
  if (result.status === 'refused') {
    if (result.reason === 'reserved') return { accountId, keyId: null };
    return result.reason === 'key_limit_reserved' ? { accountId, keyId } : null;
  }
  if (result.status !== 'held' || result.heldMillicredits >= input.amountMillicredits) return null;
  if (result.availableAfterMillicredits <= 0) return { accountId, keyId: null };
  // Else it got its share of the limit.
  return usedUpKeys.has(keyId) ? { accountId, keyId } : null;
}
