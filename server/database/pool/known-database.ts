/** What a connection is asked, for `KnownDatabase#judge`. */
export const identifyStatement = 'SELECT name FROM replica_mark WHERE id = 1';

/** Told once when another database is found in the place of ours, and once when ours is back. @param found null: one without an id. */
export type TellPlace = (isInPlace: boolean, found: string | null) => void;

/** Another database than the one that we work on answers at its address. Counts as a database that is away. */
export class OtherDatabaseError extends Error {
  override readonly name = 'OtherDatabaseError';
  readonly code = 'OTHER_DATABASE';
}

// No such table, no database chosen, no such database: what is there is not ours.
const missingErrors: ReadonlySet<unknown> = new Set([1146, 1046, 1049]);

/**
 * The database that a process works on, by its id (`getDatabaseId`). A name can come to lead to another server, and a database be made
 * anew or replaced under a running server: what is asked there knows no account and no call of ours, and says so as if it were true.
 */
export class KnownDatabase {
  #isToldOther = false;

  /** @param tell Nobody by default. */
  constructor(
    readonly id: string,
    private readonly tell: TellPlace = () => {},
  ) {}

  /** null: whichever answers. */
  static of(id: string | null): KnownDatabase | null {
    return id === null ? null : new KnownDatabase(id);
  }

  /** @param ask answers with the rows of a statement. @throws OtherDatabaseError, or what `ask` throws. */
  async assertAnswers(ask: (sql: string) => Promise<unknown>): Promise<void> {
    const fault = await ask(identifyStatement).then(
      (rows) => this.judge(null, rows),
      (error: unknown) => this.judge(error, null),
    );
    if (fault !== null) throw fault;
  }

  /** @param name What stands in its row, if there is one. @throws OtherDatabaseError unless it is ours. */
  assertIs(name: string | null): void {
    const fault = this.judge(null, name === null ? [] : [{ name }]);
    if (fault !== null) throw fault;
  }

  /** @returns what is wrong with whoever answered this to `identifyStatement`; null: nothing. */
  judge(error: unknown, rows: unknown): Error | null {
    if (error && !missingErrors.has((error as { errno?: unknown }).errno)) return error as Error;
    const found = error ? null : ((rows as readonly { readonly name: string }[])[0]?.name ?? null);
    const isOurs = found === this.id;
    if (isOurs === this.#isToldOther) {
      this.#isToldOther = !isOurs;
      this.tell(isOurs, found);
    }
    return isOurs
      ? null
      : new OtherDatabaseError(`The database ${found ?? 'without an id'} answers instead of ${this.id}.`);
  }
}
