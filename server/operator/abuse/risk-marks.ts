import { type EntityManager, In, IsNull, LessThan, LessThanOrEqual, MoreThan } from 'typeorm';
import { isUniqueViolation } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError, InvalidInputError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId, isId } from '../../kernel/ids.js';
import { isPrintableWithin } from '../../kernel/texts/printable-text.js';
import { AccountRiskMarkEntity } from './account-risk-mark.entity.js';
import { type RiskMarkKind, riskMarkKinds } from './risk-mark-kinds.js';

type RiskMark = Readonly<AccountRiskMarkEntity>;

/** A mark, and whether it holds: it was not cleared, and has not ended. */
export interface StandingRiskMark extends Omit<RiskMark, 'livingKind'> {
  readonly isHeld: boolean;
}

export interface NewRiskMark {
  readonly accountId: string;
  readonly kind: RiskMarkKind;
  /** 3 to 500 characters. */
  readonly note: string;
  /** null: until somebody clears it. */
  readonly endsAtMs: number | null;
  /** As the operators' log names them. */
  readonly setBy: string;
}

/** Which marks are listed. */
export interface RiskMarkPage {
  /** null: of every kind. */
  readonly kind: RiskMarkKind | null;
  /** 1 to 100. */
  readonly first: number;
  /** The last id of the page before; null: the newest. */
  readonly afterId: string | null;
}

type Also = (transaction: EntityManager, mark: RiskMark) => Promise<void>;
/** Whether there is such an account that is not deleted; and it stays so until the transaction ends. */
export type HoldAccount = (transaction: EntityManager, accountId: string) => Promise<boolean>;

const noteLengthMin = 3;
const noteLengthMax = 500;
const aheadMsMax = 10 * 366 * 24 * 60 * 60_000;
const ofAccountMax = 50;
const trustedMax = 10_000;

/**
 * Marks of accounts that operators set by hand. A mark holds until it is cleared, or its end has come. Calls know nothing of them. They
 * go with their account when it is deleted.
 */
export class RiskMarks {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly holdAccount: HoldAccount,
  ) {}

  /**
   * Sets one. @param also Runs in the transaction that writes it.
   * @throws InvalidInputError for `note` or `until`; AppError `not_found` for the account, `conflict` while it has one of that kind.
   */
  async set({ accountId, kind, note, endsAtMs, setBy }: NewRiskMark, also: Also): Promise<StandingRiskMark> {
    const nowMs = this.clock.nowMs();
    const mark = {
      id: createId('riskMark'),
      accountId,
      kind,
      livingKind: kind,
      note: readNote(note),
      endsAtMs: readEnd(endsAtMs, nowMs),
      setBy,
      setAtMs: nowMs,
      clearedBy: null,
      clearedAtMs: null,
      clearedReason: null,
    };
    try {
      await this.unitOfWork.transact(async (transaction) => {
        if (!(await this.holdAccount(transaction, accountId)))
          throw new AppError('not_found', 'There is no such account, or it is deleted. Its id begins with acct_.');
        const over = { accountId, livingKind: kind, endsAtMs: LessThanOrEqual(nowMs) };
        await transaction.update(AccountRiskMarkEntity, over, { livingKind: null });
        await transaction.insert(AccountRiskMarkEntity, mark);
        await also(transaction, mark);
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const words = `The account is marked \`${kind}\` already. Clear that mark first, or leave it as it is.`;
      throw new AppError('conflict', words);
    }
    return stand(mark, nowMs);
  }

  /** Clears one that holds. @param also Runs in the same transaction. @throws AppError `not_found` when none of that id holds. */
  async clear(id: string, by: { readonly clearedBy: string; readonly reason: string }, also: Also): Promise<void> {
    const nowMs = this.clock.nowMs();
    await this.unitOfWork.transact(async (transaction) => {
      const found = isId('riskMark', id) ? await transaction.findOneBy(AccountRiskMarkEntity, { id }) : null;
      const cleared = { livingKind: null, clearedBy: by.clearedBy, clearedAtMs: nowMs, clearedReason: by.reason };
      const isHeld = found !== null && holdsAt(found, nowMs);
      // Asked once more by the write: another operator may be quicker.
      const { affected } = isHeld
        ? await transaction.update(AccountRiskMarkEntity, { id, clearedAtMs: IsNull() }, cleared)
        : { affected: 0 };
      if (found === null || affected !== 1)
        throw new AppError('not_found', 'There is no such mark that still holds. Its id begins with mark_.');
      await also(transaction, found);
    });
  }

  /** All of an account, cleared and ended ones too, the newest first; at most 50. */
  async listOf(accountId: string): Promise<readonly StandingRiskMark[]> {
    const marks = await this.unitOfWork.reader.find(AccountRiskMarkEntity, {
      where: { accountId },
      order: { id: 'DESC' },
      take: ofAccountMax,
    });
    return marks.map((mark) => stand(mark, this.clock.nowMs()));
  }

  /** Those that hold, the newest first, each kind by its index. @throws InvalidInputError for `first` outside of 1 to 100. */
  async list({ kind, first, afterId }: RiskMarkPage): Promise<readonly StandingRiskMark[]> {
    if (!(first >= 1 && first <= 100)) throw new InvalidInputError('first', 'Ask for 1 to 100.');
    const before = afterId !== null && isId('riskMark', afterId) ? { id: LessThan(afterId) } : {};
    const pages = await Promise.all(
      (kind === null ? riskMarkKinds : [kind]).map((livingKind) =>
        this.unitOfWork.reader.find(AccountRiskMarkEntity, {
          where: this.#held().map((held) => ({ livingKind, ...before, ...held })),
          order: { id: 'DESC' },
          take: first,
        }),
      ),
    );
    const nowMs = this.clock.nowMs();
    return pages
      .flat()
      .sort(newestFirst)
      .slice(0, first)
      .map((mark) => stand(mark, nowMs));
  }

  /** Which kinds hold for each of these accounts; those without one are left out. */
  async findKinds(accountIds: readonly string[]): Promise<ReadonlyMap<string, readonly RiskMarkKind[]>> {
    const found = new Map<string, RiskMarkKind[]>();
    if (accountIds.length === 0) return found;
    const of = { accountId: In([...new Set(accountIds)]), livingKind: In(riskMarkKinds) };
    const marks = await this.unitOfWork.reader.find(AccountRiskMarkEntity, {
      select: { accountId: true, kind: true },
      where: this.#held().map((held) => ({ ...of, ...held })),
      order: { id: 'ASC' },
    });
    for (const { accountId, kind } of marks) found.set(accountId, [...(found.get(accountId) ?? []), kind]);
    return found;
  }

  /** The accounts that are trusted now; of more than 10,000 the newest. */
  async findTrusted(): Promise<ReadonlySet<string>> {
    const marks = await this.unitOfWork.reader.find(AccountRiskMarkEntity, {
      select: { accountId: true },
      where: this.#held().map((held) => ({ livingKind: 'trusted' as const, ...held })),
      order: { id: 'DESC' },
      take: trustedMax,
    });
    return new Set(marks.map(({ accountId }) => accountId));
  }

  #held() {
    return [{ endsAtMs: IsNull() }, { endsAtMs: MoreThan(this.clock.nowMs()) }];
  }
}

function stand({ livingKind, ...mark }: RiskMark, nowMs: number): StandingRiskMark {
  return { ...mark, isHeld: holdsAt({ livingKind, ...mark }, nowMs) };
}

function holdsAt({ livingKind, endsAtMs }: Pick<RiskMark, 'livingKind' | 'endsAtMs'>, nowMs: number): boolean {
  return livingKind !== null && (endsAtMs === null || endsAtMs > nowMs);
}

function newestFirst({ id }: RiskMark, { id: other }: RiskMark): number {
  return id < other ? 1 : -1;
}

/** @throws InvalidInputError naming `note`. */
function readNote(given: string): string {
  const note = given.trim();
  if (!isPrintableWithin(note, noteLengthMin, noteLengthMax)) {
    const words = `A note has ${noteLengthMin} to ${noteLengthMax} printable characters, without line breaks.`;
    throw new InvalidInputError('note', words);
  }
  return note;
}

/** @throws InvalidInputError naming `until`. */
function readEnd(endsAtMs: number | null, nowMs: number): number | null {
  if (endsAtMs === null || (endsAtMs > nowMs && endsAtMs <= nowMs + aheadMsMax)) return endsAtMs;
  throw new InvalidInputError(
    'until',
    'It ends in the future, within ten years. Name another time, or none: then it is cleared by hand.',
  );
}
