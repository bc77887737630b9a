import type { Logger } from '../logger.js';
import { withinMs } from './within-ms.js';

export interface StateWatchParts<State> {
  /** What it is called in the log: `<name>_unread`, and `<name>_read_again` afterwards. */
  readonly name: string;
  /** Reads what stands in the database; null: nothing has changed since it was last taken over. */
  readonly read: () => Promise<State | null>;
  /** Takes it over. What it throws leaves what was known in force. */
  readonly takeOver: (state: State) => void;
  readonly logger: Logger;
  readonly pollMs?: number;
  readonly timeoutMs?: number;
}

/**
 * Keeps in the memory of this process what stands in the database: it looks once a second whether another instance, or the command line,
 * has changed it. What cannot be read within five seconds leaves what was known in force; the log is told once, and whoever asks.
 */
export class StateWatch<State> {
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #fault: string | null = null;

  constructor(private readonly parts: StateWatchParts<State>) {}

  /** Why what stands in the database was not taken over; null: it was. */
  get fault(): string | null {
    return this.#fault;
  }

  /** Takes over what there is, then keeps looking. @throws what the first look failed by. */
  async start(): Promise<void> {
    await this.#lookOnce();
    this.#timer = setInterval(() => {
      if (this.#looking === null) void this.lookAfterChange();
    }, this.parts.pollMs ?? 1_000).unref();
  }

  /** Takes over what was changed until now. @throws when it cannot; what was known stays in force. */
  async look(): Promise<void> {
    // One that began before the change may not have seen it.
    await this.#looking?.catch(() => {});
    this.#looking ??= this.#lookOnce()
      .catch((error: unknown) => this.#noteFault(error))
      .finally(() => {
        this.#looking = null;
      });
    await this.#looking;
  }

  /** The same for a change that is made already: what keeps this process from taking it over, the log and `fault` say. */
  async lookAfterChange(): Promise<void> {
    await this.look().catch(() => {});
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#looking?.catch(() => {});
  }

  async #lookOnce(): Promise<void> {
    const { name, read, takeOver, logger, timeoutMs = 5_000 } = this.parts;
    const state = await withinMs(timeoutMs, read(), 'The database did not answer in time.');
    if (state !== null) takeOver(state);
    if (this.#fault !== null) logger.info(`${name}_read_again`, {});
    this.#fault = null;
  }

  #noteFault(error: unknown): never {
    const isNews = this.#fault === null && this.#timer !== null;
    this.#fault = error instanceof Error ? error.message : String(error);
    if (isNews) this.parts.logger.error(`${this.parts.name}_unread`, { error });
    throw error;
  }
}
