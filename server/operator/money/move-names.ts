import { type EntityManager, In } from 'typeorm';
import { nameId } from '../../kernel/ids.js';
import { findBookedAmount, findBookedIds } from '../../ledger/find-booked-amount.js';
import { OperatorEntity } from '../people/operator.entity.js';
import { type CreditDirection, CreditRequestEntity, type CreditRequestState } from './credit-request.entity.js';

/** What an operator's word names a move of credits by. */
export interface NamedMove {
  readonly direction: CreditDirection;
  readonly accountId: string;
  /** The operator's own word. */
  readonly once: string;
}

const firstState: readonly CreditRequestState[] = ['alone', 'approved', 'waiting', 'refused'];

/**
 * What a word names a move of credits of an account by: the same for every operator, and on the server's machine as from afar. What was named
 * before that was so keeps its name, by the operator or by the word alone, so that it is still known when the word comes again.
 */
export async function findMoveId(reader: EntityManager, { direction, accountId, once }: NamedMove): Promise<string> {
  const words = [direction, accountId, once];
  const named = nameId('creditRequest', words);
  const operators = await reader.find(OperatorEntity, { select: { id: true } });
  const ids = [named, ...operators.map(({ id }) => nameId('creditRequest', [id, ...words]))];
  const asked = await reader.find(CreditRequestEntity, { select: { id: true, state: true }, where: { id: In(ids) } });
  const [first] = asked.toSorted((a, b) => firstState.indexOf(a.state) - firstState.indexOf(b.state));
  if (first !== undefined) return first.id;
  return (await findMovedAmount(reader, { direction, accountId, moveId: once })) === null ? named : once;
}

/** What was moved under a name, in millicredits; null: nothing was. */
export function findMovedAmount(
  reader: EntityManager,
  { direction, accountId, moveId }: Omit<NamedMove, 'once'> & { readonly moveId: string },
): Promise<number | null> {
  return findBookedAmount(reader, { accountId, transferId: toTransferId({ direction, accountId, moveId }) });
}

/** Those of some requests of credits that nothing was moved for. @param requests At most a thousand. */
export async function findUnmoved(
  reader: EntityManager,
  requests: readonly CreditRequestEntity[],
): Promise<readonly CreditRequestEntity[]> {
  const nameOf = ({ direction, accountId, id }: CreditRequestEntity) =>
    toTransferId({ direction, accountId, moveId: id });
  const booked = await findBookedIds(reader, requests.map(nameOf));
  return requests.filter((request) => !booked.has(nameOf(request)));
}

/** By which name the ledger knows a move of credits by hand. */
export function toTransferId({
  direction,
  accountId,
  moveId,
}: Omit<NamedMove, 'once'> & { readonly moveId: string }): string {
  return `${direction === 'grant' ? 'grant' : 'adjustment'}:operator:${accountId}:${moveId}`;
}
