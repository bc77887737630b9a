import { type EntityManager, In, MoreThan } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { sumTexts } from './packed-parts.js';
import { UsagePackEntity } from './usage-pack.entity.js';
import { UsageSetEntity, type UsageSetKind } from './usage-set.entity.js';
import { columnsOfKind, dayMs, hasRows, holdSets, hourMs, removeSets, type UsageSetName } from './usage-sets.js';
import { areSame, type LedgerSums, ledgerColumns, sumLedgerSums, toUsageSums } from './usage-sums.js';

/** Few, since the parts of a large day are many, and this thread serves calls. */
const setsAtOnce = 2;
/** The sets of an account in turn: each kind, each length. */
const turns = (Object.keys(columnsOfKind) as UsageSetKind[]).flatMap((kind) =>
  [hourMs, dayMs].map((spanMs) => ({ kind, spanMs })),
);

/** Goes through all sets, some at a time and again from the beginning, and removes those whose parts or packs do not come to what they do. */
export class SetMender {
  /** The set that was looked at last; empty: none. */
  #last = { accountId: '', turn: turns.length, startMs: 0 };

  constructor(private readonly unitOfWork: UnitOfWork) {}

  /**
   * Looks at the next sets, two at most, of an account and kind.
   * @returns those that were removed, and whether there are more behind them before it begins again. @throws the database's error.
   */
  async mendSome(): Promise<{ readonly removed: readonly UsageSetName[]; readonly isMore: boolean }> {
    const { reader } = this.unitOfWork;
    if (this.#last.turn >= turns.length && !(await this.#goToNextAccount())) return { removed: [], isMore: false };
    const { accountId, turn, startMs } = this.#last;
    const where = { accountId, ...turns[turn], startMs: MoreThan(startMs) };
    const sets = await reader.find(UsageSetEntity, { where, order: { startMs: 'ASC' }, take: setsAtOnce });
    const isOver = sets.length < setsAtOnce;
    this.#last = { accountId, turn: isOver ? turn + 1 : turn, startMs: isOver ? -1 : (sets.at(-1)?.startMs ?? -1) };
    const removed: UsageSetName[] = [];
    for (const set of await listWrong(reader, sets)) if (await this.#remove(set)) removed.push(set);
    return { removed, isMore: true };
  }

  /** @returns false behind the last account; the next look begins again with the first. */
  async #goToNextAccount(): Promise<boolean> {
    const [next] = await this.unitOfWork.reader.query(
      'SELECT MIN(account_id) AS account_id FROM usage_set WHERE account_id > ?',
      [this.#last.accountId],
    );
    const accountId: string | null = next?.account_id ?? null;
    this.#last = { accountId: accountId ?? '', turn: accountId === null ? turns.length : 0, startMs: -1 };
    return accountId !== null;
  }

  // Whoever sums it again meanwhile is waited for; then there is another set in its place.
  #remove(set: UsageSetEntity): Promise<boolean> {
    return this.unitOfWork.transactForServer(async (transaction) => {
      await holdSets(transaction);
      const now = await transaction.findBy(UsageSetEntity, { id: set.id });
      if ((await listWrong(transaction, now)).length === 0) return false;
      await removeSets(transaction, now);
      return true;
    });
  }
}

async function listWrong(reader: EntityManager, sets: readonly UsageSetEntity[]): Promise<readonly UsageSetEntity[]> {
  if (sets.length === 0) return [];
  const ids = sets.map(({ id }) => id);
  const packs = await reader.find(UsagePackEntity, { where: { setId: In(ids) } });
  const sums = Object.entries(ledgerColumns).map(([name, column]) => `SUM(${column}) AS ${name}`);
  const parts: readonly Readonly<Record<string, unknown>>[] = await reader.query(
    `SELECT set_id, ${sums.join(', ')} FROM usage_part WHERE set_id IN (${ids.map(() => '?').join(', ')}) GROUP BY set_id`,
    ids,
  );
  const ofParts = new Map(parts.map((row) => [row.set_id, toUsageSums(row)]));
  return sets.filter((set) => {
    const own = packs.filter(({ setId }) => setId === set.id);
    const rows = ofParts.get(set.id);
    // One of a release that did not pack is packed by `packSets`.
    const arePacksWrong = own.length > 0 && !areSame(set, sumTexts(own.map(({ parts: text }) => text)) ?? nothing);
    if (!hasRows(set.kind)) return arePacksWrong || own.length === 0;
    // An hour that no chart shows any more is packed alone.
    if (rows === undefined) return arePacksWrong || own.length === 0 || set.spanMs === dayMs;
    return arePacksWrong || !areSame(set, rows);
  });
}

const nothing: LedgerSums = sumLedgerSums([]);
