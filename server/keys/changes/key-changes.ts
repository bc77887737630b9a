import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import type { Clock } from '../../kernel/clock.js';
import { type ChangedKey, CurrentKeys } from './current-keys.js';

/** A change that was noted in the transaction that made it. */
export interface NotedChange {
  readonly number: number;
  readonly changed: ChangedKey;
}

/**
 * Changes of keys and accounts, and who knows of them. A change is answered to whoever made it once no instance lets a call in
 * by what stood before.
 */
export interface KeyChanges {
  /** The keys that this instance knows to be current. */
  readonly current: CurrentKeys;
  /** Begins to listen. Before that, and after `close`, this instance knows of no key. */
  start(): Promise<void>;
  /** Notes a change, as the last statement of its transaction. */
  note(transaction: EntityManager, changed: ChangedKey): Promise<NotedChange>;
  /**
   * Waits, after the commit, until each running instance has taken the change over or has lost its right to let calls in by what
   * it knows: at most some seconds.
   * @throws AppError `service_unavailable` when that cannot be found out in time; the change is made all the same.
   */
  takenOver(noted: NotedChange): Promise<void>;
  close(): Promise<void>;
}

/** For so long the server of a SQLite file takes a key for current after it has read it: a program beside it tells it nothing. */
const knownMsBesidePrograms = 5_000;

/** The changes of the only server on a database, which takes each over at once and asks nobody. */
export class OneProcessKeyChanges implements KeyChanges {
  readonly current: CurrentKeys;

  constructor(clock: Clock) {
    this.current = new CurrentKeys(clock, () => true, knownMsBesidePrograms);
  }

  async start(): Promise<void> {
    // There is nobody to listen to.
  }

  async note(_transaction: EntityManager, changed: ChangedKey): Promise<NotedChange> {
    return { number: 0, changed };
  }

  async takenOver({ changed }: NotedChange): Promise<void> {
    this.current.drop(changed);
  }

  async close(): Promise<void> {
    this.current.dropAll();
  }
}

/**
 * The changes of an operator's program beside the server of a SQLite file. It tells the server nothing; so a change is answered
 * when whatever the server had read before it counts for nothing any more.
 */
export class ProgramKeyChanges extends OneProcessKeyChanges {
  override async takenOver(): Promise<void> {
    await sleep(knownMsBesidePrograms + 250);
  }
}
