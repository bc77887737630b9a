import type { EntityManager } from 'typeorm';
import type { AppError } from '../kernel/app-error.js';

type Work<Result> = (transaction: EntityManager) => Promise<Result>;

/** What one statement selects from to prove whoever asks: one row, and none once they may not any more. Plain SQL, with `?` for the values. */
export interface StandingRow {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

export interface StandingParts {
  /** Whose changes are made one after the other: the id of an account or an operator. */
  readonly turn: string;
  /** Locks the rows that every end of whoever asks writes first. */
  hold(transaction: EntityManager): Promise<void>;
  /** Why whoever asks may not any more, behind those locks; null: they still may. */
  findRefusal(transaction: EntityManager): Promise<AppError | null>;
  /** The same for a statement of the ledger, which has transactions of its own; left out: it writes nothing in their name. */
  readonly row?: StandingRow;
}

/**
 * Whoever asks for a change, as they were when they were let in: by their session, key and role. Each transaction that they ask for begins with
 * the proof that they still are, so that nothing which waited behind their end is carried out after it.
 */
export class Standing {
  // What they ask for may end themselves, as signing out does, and goes on behind that.
  #hasEndedItself = false;

  constructor(private readonly parts: StandingParts) {}

  get turn(): string {
    return this.parts.turn;
  }

  /** null: there is nothing to prove. */
  get row(): StandingRow | null {
    return this.#hasEndedItself ? null : (this.parts.row ?? null);
  }

  /** `work` with the proof before it. @param run runs a transaction, whose work is to be this. @throws what refuses them, and what `run` throws. */
  async prove<Result>(work: Work<Result>, run: (proven: Work<Result>) => Promise<Result>): Promise<Result> {
    if (this.#hasEndedItself) return run(work);
    const { hold, findRefusal } = this.parts;
    let endsItself = false;
    const result = await run(async (transaction) => {
      await hold(transaction);
      const refusal = await findRefusal(transaction);
      if (refusal !== null) throw refusal;
      const done = await work(transaction);
      endsItself = (await findRefusal(transaction)) !== null;
      return done;
    });
    this.#hasEndedItself ||= endsItself;
    return result;
  }
}
