import { createHash } from 'node:crypto';
import { type EntityManager, In } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { PersonalItemEntity } from './personal-item.entity.js';
import { readContent, readName } from './read-item.js';

/** Conversations of the playground, and its settings. */
export const personalItemKinds = ['conversation', 'playground_settings'] as const;
export type PersonalItemKind = (typeof personalItemKinds)[number];

export type PersonalItem = Readonly<Pick<PersonalItemEntity, 'kind' | 'name' | 'content' | 'savedAtMs'>>;

/** A member, in one account. */
export interface ItemOwner {
  readonly accountId: string;
  readonly personId: string;
}

/** So many of each kind are kept; the one that was saved longest ago makes room. */
export const itemsOfKindMax: Readonly<Record<PersonalItemKind, number>> = { conversation: 20, playground_settings: 1 };
/** So many bytes of all kinds together, of one member in one account. */
const personBytesMax = 500_000;

/**
 * What a member keeps in an account for themselves: no other member reads it, and it goes with the membership. What is saved is always
 * kept; beyond 20 conversations, or 500,000 bytes in all, the conversations that were saved longest ago are forgotten. None of it is an
 * event of the account.
 */
export class PersonalItems {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** In the order of their names. */
  async list({ accountId, personId }: ItemOwner, kind: PersonalItemKind): Promise<readonly PersonalItem[]> {
    const where = { accountId, personId, kind };
    return this.unitOfWork.reader.find(PersonalItemEntity, { where, order: { name: 'ASC' } });
  }

  /** What a person keeps in all accounts. */
  async listOfPerson(personId: string): Promise<readonly (PersonalItem & Pick<ItemOwner, 'accountId'>)[]> {
    const order = { accountId: 'ASC', kind: 'ASC', name: 'ASC' } as const;
    return this.unitOfWork.reader.find(PersonalItemEntity, { where: { personId }, order });
  }

  /**
   * Keeps an item; one of the same kind and name is replaced.
   * @throws InvalidInputError for `name` or `content`.
   */
  async save({ accountId, personId }: ItemOwner, { kind, name, content }: Omit<PersonalItem, 'savedAtMs'>) {
    const item = { kind, name: readName(name), content: readContent(content), savedAtMs: this.clock.nowMs() };
    const row = { id: hashOf({ accountId, personId }, item), accountId, personId, ...item };
    await this.unitOfWork.transact(async (transaction) => {
      await transaction.upsert(PersonalItemEntity, row, ['id']);
      await makeRoom(transaction, row);
    });
  }

  /** @throws AppError `not_found` when there is none of that name. */
  async remove(owner: ItemOwner, kind: PersonalItemKind, name: string): Promise<void> {
    await this.unitOfWork.transact(async (transaction) => {
      const { affected } = await transaction.delete(PersonalItemEntity, { id: hashOf(owner, { kind, name }) });
      if (affected !== 1)
        throw new AppError('not_found', 'You keep nothing of that name in this account.', { param: 'name' });
    });
  }

  /** Forgets everything that a member keeps in an account, if there is anything. */
  async removeAll({ accountId, personId }: ItemOwner): Promise<void> {
    await this.unitOfWork.transact((transaction) => transaction.delete(PersonalItemEntity, { accountId, personId }));
  }
}

async function makeRoom(transaction: EntityManager, saved: PersonalItemEntity): Promise<void> {
  const { accountId, personId } = saved;
  const order = { savedAtMs: 'DESC', name: 'DESC' } as const;
  const items = await transaction.find(PersonalItemEntity, { where: { accountId, personId }, order });
  const others = items.filter(({ id }) => id !== saved.id);
  // Whoever loses the settings would find the playground turned off.
  const ranked = [saved, ...others.filter(isSettings), ...others.filter((item) => !isSettings(item))];
  const kept = { bytes: 0, conversation: 0, playground_settings: 0 };
  const gone: string[] = [];
  for (const { id, kind, content } of ranked) {
    const bytes = kept.bytes + Buffer.byteLength(content);
    if (kept[kind] >= itemsOfKindMax[kind] || bytes > personBytesMax) {
      gone.push(id);
      continue;
    }
    kept.bytes = bytes;
    kept[kind] += 1;
  }
  if (gone.length > 0) await transaction.delete(PersonalItemEntity, { id: In(gone) });
}

function isSettings({ kind }: Pick<PersonalItem, 'kind'>): boolean {
  return kind === 'playground_settings';
}

function hashOf({ accountId, personId }: ItemOwner, { kind, name }: Pick<PersonalItem, 'kind' | 'name'>): string {
  return createHash('sha256')
    .update(JSON.stringify([accountId, personId, kind, name]))
    .digest('hex');
}
