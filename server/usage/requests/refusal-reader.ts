import { LessThan, type Repository } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { RefusalEntity } from './refusal.entity.js';

export type KeptRefusal = Readonly<RefusalEntity>;

/** Reads what the requests of accounts were refused for. */
export class RefusalReader {
  readonly #refusals: Repository<RefusalEntity>;

  constructor(unitOfWork: UnitOfWork) {
    this.#refusals = unitOfWork.reader.getRepository(RefusalEntity);
  }

  /** Newest first. @param page.beforeId The last id of the page before; null: the newest. */
  async listRefusals(
    accountId: string,
    { first, beforeId }: { readonly first: number; readonly beforeId: string | null },
  ): Promise<{ readonly items: readonly KeptRefusal[]; readonly hasNextPage: boolean }> {
    const where = { accountId, ...(beforeId !== null && { id: LessThan(beforeId) }) };
    const rows = await this.#refusals.find({ where, order: { id: 'DESC' }, take: first + 1 });
    return { items: rows.slice(0, first), hasNextPage: rows.length > first };
  }
}
