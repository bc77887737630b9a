import type { EntityManager } from 'typeorm';
import { RunningInstanceEntity } from './running-instance.entity.js';

/** A server process, and when it last gave a sign of life by the database's clock. */
export type InstanceFacts = Readonly<Pick<RunningInstanceEntity, 'id' | 'seenAtMs'>>;

/** The processes that share this MySQL, at most 100; on SQLite, where there is one, none. */
export async function listInstances(reader: EntityManager): Promise<readonly InstanceFacts[]> {
  return reader.find(RunningInstanceEntity, { order: { id: 'ASC' }, take: 100 });
}
