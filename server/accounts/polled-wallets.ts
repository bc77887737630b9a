/** Tells which wallets other instances have changed, while somebody wants to know. */
export interface WalletsElsewhere {
  /** Calls `wake` with accounts out of `listWatched` whose wallet may have changed, until `rest`. A second call does nothing. */
  begin(wake: (accountId: string) => void, listWatched: () => readonly string[]): void;
  rest(): void;
}

export interface PolledWalletsParts {
  /** A text for each account that is another one whenever its balance is. */
  readonly findMarks: (accountIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Asked before each look; while it answers no, somebody else tells. */
  readonly isNeeded?: () => boolean;
  readonly pollMs?: number;
}

const usualPollMs = 100;
/** So many accounts are looked at by one query; with more that are watched, each has its turn a little later. */
const accountsAtOnceMax = 500;

/**
 * Looks into the database for wallets that other instances have changed: one small query ten times a second, however many watch,
 * and none while nobody does. Of up to 500 watched accounts each change is seen within a tenth of a second; each further 500 add
 * another tenth.
 */
export class PolledWallets implements WalletsElsewhere {
  #marks = new Map<string, string>();
  #timer: NodeJS.Timeout | null = null;
  #next = 0;

  constructor(private readonly parts: PolledWalletsParts) {}

  begin(wake: (accountId: string) => void, listWatched: () => readonly string[]): void {
    if (this.#timer !== null) return;
    let isLooking = false;
    const look = async () => {
      if (isLooking || this.parts.isNeeded?.() === false) return;
      isLooking = true;
      // A database that does not answer is found out by all who need it more.
      await this.#look(wake, listWatched()).catch(() => {});
      isLooking = false;
    };
    this.#timer = setInterval(() => void look(), this.parts.pollMs ?? usualPollMs).unref();
  }

  rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#marks.clear();
  }

  async #look(wake: (accountId: string) => void, watched: readonly string[]): Promise<void> {
    if (this.#next >= watched.length) this.#next = 0;
    const accountIds = watched.slice(this.#next, this.#next + accountsAtOnceMax);
    this.#next += accountsAtOnceMax;
    if (accountIds.length === 0) return;
    const marks = await this.parts.findMarks(accountIds);
    // What is not watched any more need not be remembered.
    if (this.#marks.size > watched.length) {
      const isWatched = new Set(watched);
      this.#marks = new Map([...this.#marks].filter(([accountId]) => isWatched.has(accountId)));
    }
    for (const [accountId, mark] of marks) {
      // One that is new may have changed since its watcher first read it.
      if (this.#marks.get(accountId) !== mark) wake(accountId);
      this.#marks.set(accountId, mark);
    }
  }
}
