import type { EntityManager } from 'typeorm';
import { isRowLocked } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError } from '../../kernel/app-error.js';
import { withinMs } from '../../kernel/jobs/within-ms.js';
import { QuestionBatcher } from '../question-batcher.js';

/** A group that waits for a locked row, and then apart for its own, is done by then. */
const timeoutMs = 5_000;
/** For so long the questions of owners whose group met with a locked row are answered apart from each other. */
const apartMs = 10_000;
const apartMax = 10_000;

const retryAfterMs = 2_000;
const lockedWords = 'The limits of this account cannot be looked up right now. Nothing was charged. Try again shortly.';

/** A question that is answered under the lock of its owner's row. */
interface OwnedQuestion {
  /** The account or the key. */
  readonly ownerId: string;
}

/** An owner for whose row nobody else waits until then; its own questions wait together, in one transaction. */
interface Apart<Question, Answer> {
  readonly untilMs: number;
  readonly batcher: QuestionBatcher<Question, Answer>;
}

/**
 * Answers questions about the rows of many owners: all that come while one transaction is under way share the next one. Where
 * somebody keeps a row locked, such as an instance that stands still, the questions of other owners wait for it once, and then no more.
 */
export class RowBatcher<Question extends OwnedQuestion, Answer> {
  readonly #ofAll = this.#open();
  readonly #apart = new Map<string, Apart<Question, Answer>>();

  /** @param answerAll Answers each question of a group, in their order, in a transaction that locks their owners' rows. */
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly answerAll: (
      transaction: EntityManager,
      questions: readonly Question[],
    ) => Promise<readonly Answer[]>,
  ) {}

  /** @throws AppError `service_unavailable` when that takes five seconds, or somebody keeps the owner's row locked; what the database throws. */
  ask(question: Question): Promise<Answer> {
    const answered = (this.#findApart(question.ownerId) ?? this.#ofAll).ask(question);
    return withinMs(timeoutMs, answered, createLockedError());
  }

  #open(): QuestionBatcher<Question, Answer> {
    return new QuestionBatcher((questions: readonly Question[]) => this.#answerGroup(questions));
  }

  async #answerGroup(questions: readonly Question[]): Promise<readonly (Answer | Promise<Answer>)[]> {
    try {
      return await this.unitOfWork.transactForServer(async (transaction) => {
        // Not tried again: each try waits for the lock anew, and keeps a connection from everybody meanwhile.
        return await this.answerAll(transaction, questions).catch((error: unknown) => {
          throw isRowLocked(error) ? new LockedRowError() : error;
        });
      });
    } catch (error) {
      if (!(error instanceof LockedRowError)) throw error;
      const batchers = new Map(
        [...new Set(questions.map(({ ownerId }) => ownerId))].map((id) => [id, this.#putApart(id)]),
      );
      if (batchers.size === 1) throw createLockedError();
      return questions.map((question) => (batchers.get(question.ownerId) ?? this.#ofAll).ask(question));
    }
  }

  #findApart(ownerId: string): QuestionBatcher<Question, Answer> | null {
    const apart = this.#apart.get(ownerId);
    if (apart === undefined) return null;
    if (performance.now() < apart.untilMs) return apart.batcher;
    this.#apart.delete(ownerId);
    return null;
  }

  #putApart(ownerId: string): QuestionBatcher<Question, Answer> {
    const batcher = this.#apart.get(ownerId)?.batcher ?? this.#open();
    if (this.#apart.size >= apartMax) this.#apart.clear();
    this.#apart.set(ownerId, { untilMs: performance.now() + apartMs, batcher });
    return batcher;
  }
}

class LockedRowError extends Error {}

function createLockedError(): AppError {
  return new AppError('service_unavailable', lockedWords, { retryAfterMs });
}
