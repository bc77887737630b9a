import { type EntityManager, In, MoreThanOrEqual } from 'typeorm';
import { AccountEventEntity } from './account-event.entity.js';
import type { EventKind } from './event-kinds.js';
import { eventsPerAccountMax } from './note-event.js';

type SeenEvent = Pick<AccountEventEntity, 'kind' | 'subjectId' | 'personId'>;

/**
 * What was done to an account since a moment, for whoever has to tell what may stay. A log that does not reach back so far, as after
 * 5,000 events more, proves nothing.
 */
export class EventsSince {
  private constructor(
    private readonly events: readonly SeenEvent[],
    private readonly isWhole: boolean,
    private readonly trustedIds: ReadonlySet<string>,
  ) {}

  /** @param of.trustedIds People whose doings are no matter of concern. What a key did is nobody's. */
  static async read(
    reader: EntityManager,
    of: { accountId: string; sinceMs: number; kinds: readonly EventKind[]; trustedIds: readonly string[] },
  ): Promise<EventsSince> {
    const { accountId, sinceMs, kinds, trustedIds } = of;
    const where = { accountId, kind: In([...kinds]), createdAtMs: MoreThanOrEqual(sinceMs) };
    const events = await reader.findBy(AccountEventEntity, where);
    const [oldest] = await reader.find(AccountEventEntity, { where: { accountId }, order: { id: 'ASC' }, take: 1 });
    const reachesBack = oldest === undefined || oldest.createdAtMs < sinceMs;
    const isWhole = reachesBack || (await reader.countBy(AccountEventEntity, { accountId })) < eventsPerAccountMax;
    return new EventsSince(events, isWhole, new Set(trustedIds));
  }

  /** Whether it is proven that nobody but trusted people did any of this. @param subjectId To what; left out: to anything. */
  provesNone(kinds: readonly EventKind[], subjectId?: string): boolean {
    return this.isWhole && !this.#some(kinds, subjectId, { isTrusted: false });
  }

  /** Whether a trusted person did this. */
  isByTrusted(kind: EventKind, subjectId: string): boolean {
    return this.#some([kind], subjectId, { isTrusted: true });
  }

  #some(kinds: readonly EventKind[], wanted: string | undefined, by: { readonly isTrusted: boolean }): boolean {
    return this.events.some(
      ({ kind, personId, subjectId }) =>
        kinds.includes(kind) &&
        (wanted === undefined || wanted === subjectId) &&
        (personId !== null && this.trustedIds.has(personId)) === by.isTrusted,
    );
  }
}
