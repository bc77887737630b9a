import { noteEvent } from '../audit/note-event.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { formatCredits, requireNamedAmount, toMillicredits } from '../kernel/millicredits.js';
import { spanAt } from '../kernel/spend-period.js';
import { setBudgetOfMaker, sumMonthByMaker } from '../keys/budgets-of-makers.js';
import type { KeyChanges } from '../keys/changes/key-changes.js';
import { requireMayChange } from './member-rules.js';
import { findBudget, getMember, listRows, lockMembers, writeBudget } from './membership-rows.js';
import type { MemberChange } from './memberships.js';

export interface MemberBudgetsParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly keyChanges: Pick<KeyChanges, 'note' | 'takenOver'>;
}

/** What the keys of the members of an account have spent in the running month. */
export interface MonthOfMembers {
  /** Millicredits by person; whoever has spent nothing is not among them. */
  readonly spent: ReadonlyMap<string, number>;
  /** When the next month begins. */
  readonly resetsAtMs: number;
}

/**
 * What the keys that a member has made may spend together in a month of the calendar, UTC. The ledger keeps it in the transaction of each
 * hold; a budget that is set counts what was spent in the month before it was.
 */
export class MemberBudgets {
  constructor(private readonly parts: MemberBudgetsParts) {}

  /**
   * Sets or lifts the budget of a member. It holds for the next call on every instance. A call that runs already counts when it ends.
   * @param change.budgetMillicredits 0 stops their keys; null: no budget.
   * @throws NotFoundError; AppError `role_required`; InvalidInputError; `service_unavailable` as changes of keys do.
   */
  async setBudget(change: MemberChange & { readonly budgetMillicredits: number | null }): Promise<void> {
    const { accountId, byPersonId, personId, budgetMillicredits } = change;
    if (budgetMillicredits !== null) {
      requireNamedAmount(budgetMillicredits, { name: 'monthlyBudget', words: 'A budget', least: 0 });
    }
    const { unitOfWork, clock, keyChanges } = this.parts;
    const noted = await unitOfWork.transactInTurn(accountId, async (transaction) => {
      await lockMembers(transaction, accountId);
      const members = await listRows(transaction, accountId);
      const { role } = getMember(members, personId);
      requireMayChange(getMember(members, byPersonId).role, role, null);
      const budget = { monthlyBudgetMillicredits: budgetMillicredits, nowMs: clock.nowMs() };
      await writeBudget(transaction, { accountId, personId, role }, budget);
      await setBudgetOfMaker(transaction, { accountId, personId, budgetMillicredits });
      const detail =
        budgetMillicredits === null ? 'none' : `${formatCredits(toMillicredits(budgetMillicredits))} credits a month`;
      await noteEvent(transaction, { accountId, kind: 'member_budget_set', subjectId: personId, detail });
      return keyChanges.note(transaction, { accountId, keyId: null });
    });
    await keyChanges.takenOver(noted);
  }

  /** Millicredits a month; null: no budget. */
  async findBudget(of: { readonly accountId: string; readonly personId: string }): Promise<number | null> {
    return findBudget(this.parts.unitOfWork.reader, of);
  }

  async findMonth(accountId: string): Promise<MonthOfMembers> {
    const nowMs = this.parts.clock.nowMs();
    const spent = await sumMonthByMaker(this.parts.unitOfWork, accountId, nowMs);
    return { spent, resetsAtMs: spanAt('month', nowMs).endsAtMs };
  }
}
