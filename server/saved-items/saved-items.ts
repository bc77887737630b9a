import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { noteEvent } from '../audit/note-event.js';
import { holdAccountRow } from '../database/hold-account-row.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { readContent, readName } from './read-item.js';
import { SavedItemEntity } from './saved-item.entity.js';

/** A prompt of the playground, filters of the requests, a view of explore. */
export const savedItemKinds = ['prompt', 'request_filter', 'explore_view'] as const;
export type SavedItemKind = (typeof savedItemKinds)[number];

export type SavedItem = Readonly<Pick<SavedItemEntity, 'kind' | 'name' | 'content' | 'savedAtMs'>>;

const itemsOfKindMax = 50;
const accountBytesMax = 500_000;

/**
 * What members of an account keep for all of them: it stays when whoever saved it leaves. An account has 50 of a kind and 500,000 bytes
 * in all at most.
 */
export class SavedItems {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** In the order of their names. @param kind null: all kinds. */
  async list(accountId: string, kind: SavedItemKind | null): Promise<readonly SavedItem[]> {
    return this.unitOfWork.reader.find(SavedItemEntity, {
      where: { accountId, ...(kind === null ? {} : { kind }) },
      order: { kind: 'ASC', name: 'ASC' },
    });
  }

  /**
   * Keeps an item; one of the same kind and name is replaced.
   * @throws InvalidInputError for `name` or `content`; AppError `conflict` when the account has no room for it.
   */
  async save(accountId: string, { kind, name, content }: Omit<SavedItem, 'savedAtMs'>): Promise<void> {
    const item = { kind, name: readName(name), content: readContent(content), savedAtMs: this.clock.nowMs() };
    await this.unitOfWork.transactInTurn(accountId, async (transaction) => {
      await holdAccountRow(transaction, accountId);
      const row = { id: hashOf(accountId, item), accountId, ...item };
      await transaction.upsert(SavedItemEntity, row, ['id']);
      await assertRoom(transaction, accountId, kind);
      await noteEvent(transaction, { accountId, kind: 'item_saved', detail: item.name });
    });
  }

  /** @throws AppError `not_found` when there is none of that name. */
  async remove(accountId: string, kind: SavedItemKind, name: string): Promise<void> {
    await this.unitOfWork.transactInTurn(accountId, async (transaction) => {
      const { affected } = await transaction.delete(SavedItemEntity, { id: hashOf(accountId, { kind, name }) });
      if (affected !== 1)
        throw new AppError('not_found', 'Nothing of that name is saved in your account.', { param: 'name' });
      await noteEvent(transaction, { accountId, kind: 'item_deleted', detail: name });
    });
  }
}

async function assertRoom(transaction: EntityManager, accountId: string, kind: SavedItemKind): Promise<void> {
  const items = await transaction.findBy(SavedItemEntity, { accountId });
  if (items.filter((item) => item.kind === kind).length > itemsOfKindMax)
    throw new AppError('conflict', `Your account keeps up to ${itemsOfKindMax} of these. Delete one first.`);
  const bytes = items.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  if (bytes > accountBytesMax) {
    const words = `Your account keeps ${accountBytesMax} bytes of saved prompts and views at most. Delete some that nobody needs.`;
    throw new AppError('conflict', words);
  }
}

function hashOf(accountId: string, { kind, name }: Pick<SavedItem, 'kind' | 'name'>): string {
  return createHash('sha256')
    .update(JSON.stringify([accountId, kind, name]))
    .digest('hex');
}
