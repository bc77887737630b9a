import { type EntityManager, In, LessThan, MoreThanOrEqual } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { leastIdAt } from '../kernel/ids.js';
import { AccountEventEntity } from './account-event.entity.js';
import { type EventKind, sharedEventKinds } from './event-kinds.js';
import { noteEvent } from './note-event.js';

export type AccountEvent = Readonly<AccountEventEntity>;

/** Which events are wanted; what is left out does not matter. */
export interface EventFilter {
  readonly kinds?: readonly EventKind[];
  /** The session or key that did it. */
  readonly actorId?: string;
  readonly fromMs?: number;
  /** Only what every member may know of. */
  readonly isShared?: boolean;
  /** Up to this moment, and not at it. */
  readonly toMs?: number;
}

export interface EventPage {
  readonly first: number;
  /** The last id of the page before; null: from the newest. */
  readonly beforeId: string | null;
}

/** What happened to an account, newest first. */
export class AccountEvents {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async listEvents(accountId: string, filter: EventFilter, { first, beforeId }: EventPage) {
    const { actorId, fromMs, toMs } = filter;
    const kinds = toKinds(filter);
    const until = [beforeId, toMs === undefined ? null : leastIdAt('accountEvent', toMs)].filter((id) => id !== null);
    const end = until.sort()[0];
    const rows = await this.unitOfWork.reader.find(AccountEventEntity, {
      where: {
        accountId,
        ...(kinds && { kind: In([...kinds]) }),
        ...(actorId !== undefined && { actorId }),
        ...(fromMs !== undefined && { createdAtMs: MoreThanOrEqual(fromMs) }),
        ...(end !== undefined && { id: LessThan(end) }),
      },
      order: { id: 'DESC' },
      take: first + 1,
    });
    return { items: rows.slice(0, first) as readonly AccountEvent[], hasNextPage: rows.length > first };
  }

  /** Writes down that somebody took the data of an account with them, which changes nothing else. */
  async noteExport(accountId: string, fileName: string): Promise<void> {
    await this.unitOfWork.transact((transaction: EntityManager) =>
      noteEvent(transaction, { accountId, kind: 'data_exported', detail: fileName }),
    );
  }
}

// Empty: of every kind; but where only what is shared may be seen, none that is not.
function toKinds({ kinds = [], isShared = false }: EventFilter): readonly EventKind[] | null {
  if (!isShared) return kinds.length > 0 ? kinds : null;
  return kinds.length > 0 ? kinds.filter((kind) => sharedEventKinds.has(kind)) : [...sharedEventKinds];
}
