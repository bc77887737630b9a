import { type EntityManager, Not } from 'typeorm';
import { NoticeEntity } from './notice.entity.js';
import { callsSubject } from './outbox.js';

/** The messages of one endpoint. */
export interface MessagesOf {
  readonly accountId: string;
  readonly endpointId: string;
}

/** How many messages wait for an endpoint. */
export function countWaitingMessages(reader: EntityManager, of: MessagesOf): Promise<number> {
  return reader.countBy(NoticeEntity, { ...of, state: 'queued' });
}

/** Removes all messages of an endpoint, those that wait, too, in the transaction that is given. */
export async function removeMessages(transaction: EntityManager, of: MessagesOf): Promise<void> {
  await transaction.delete(NoticeEntity, { ...of });
}

/** Removes the oldest messages about calls that wait no more, so that at most `keptMax` of them are left, in the transaction that is given. */
export async function forgetOldCalls(transaction: EntityManager, of: MessagesOf, keptMax: number): Promise<void> {
  const beyond = await transaction
    .createQueryBuilder(NoticeEntity, 'notice')
    .select('notice.id')
    .where({ ...of, state: Not('queued') })
    .andWhere('notice.subjectKey LIKE :calls', { calls: `${callsSubject}%` })
    .orderBy('notice.createdAtMs', 'DESC')
    .addOrderBy('notice.id', 'DESC')
    .offset(keptMax)
    .limit(keptMax)
    .getMany();
  const ids = beyond.map(({ id }) => id);
  if (ids.length > 0) await transaction.delete(NoticeEntity, ids);
}
