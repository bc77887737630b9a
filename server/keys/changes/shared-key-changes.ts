import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import type { Logger } from '../../kernel/logger.js';
import { type ChangedKey, CurrentKeys } from './current-keys.js';
import { InstanceStandings } from './instance-standings.js';
import {
  findChanges,
  makeCount,
  noteChange,
  readStanding,
  registerInstance,
  removeChanges,
  removeInstance,
  writeBeat,
} from './key-change-log.js';
import type { KeyChanges, NotedChange } from './key-changes.js';

/** Where instances tell each other at once that there is something to read. Messages may be lost. */
export interface ChangeChannel {
  publish(message: string): Promise<void>;
  listen(listener: (message: string) => void): void;
  rest(): void;
}

export interface KeyChangeTimes {
  /** Between two signs of life, each of which reads what was changed. */
  readonly beatMs: number;
  /** An instance lets calls in by what it knows for so long after it began the last sign of life that succeeded. */
  readonly rightMs: number;
  /** An instance whose signs of life stand still for so long has no right; longer than `rightMs`, since no two clocks run alike. */
  readonly lostMs: number;
  /** The longest that somebody who has changed a key waits for all instances. */
  readonly timeoutMs: number;
}

const usualKeyChangeTimes: KeyChangeTimes = { beatMs: 500, rightMs: 3_000, lostMs: 4_000, timeoutMs: 10_000 };

/** Between two looks at the others while somebody waits for them. */
const waitPauseMs = 40;
/** An instance that is silent for so long is struck off; should it come back, it registers anew. */
const silentMs = 60_000;
const tidyMs = 20_000;

export interface SharedKeyChangesParts {
  /** The id of this instance. */
  readonly id: string;
  readonly unitOfWork: Pick<UnitOfWork, 'reader'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** null: what is changed elsewhere is read with the next sign of life. */
  readonly channel: ChangeChannel | null;
  readonly times?: KeyChangeTimes;
  readonly monotonicMs?: () => number;
}

/**
 * The changes of all instances on one MySQL. Each gives a sign of life, and only then reads what was changed: so whoever has
 * committed a change and then sees an instance's sign of life stand still knows that its next one finds the change before it gives
 * the right to let calls in. No clocks are compared, only durations.
 */
export class SharedKeyChanges implements KeyChanges {
  readonly current: CurrentKeys;
  readonly #times: KeyChangeTimes;
  readonly #monotonicMs: () => number;
  readonly #standings = new InstanceStandings();
  #timer: NodeJS.Timeout | null = null;
  #isRegistered = false;
  #isComplete = false;
  /** The last change that was taken over here; null: nothing was read yet. */
  #changeRead: number | null = null;
  #right: { readonly untilMs: number; readonly untilElapsedMs: number } | null = null;
  #looking: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #tidiedMs = 0;
  #removedUpTo = 0;
  #isLossTold = false;
  #isUnfinishedTold = false;

  constructor(private readonly parts: SharedKeyChangesParts) {
    this.#times = parts.times ?? usualKeyChangeTimes;
    this.#monotonicMs = parts.monotonicMs ?? (() => performance.now());
    this.current = new CurrentKeys(parts.clock, () => this.#hasRight());
  }

  async start(): Promise<void> {
    const beat = () => void this.look().catch((error: unknown) => this.#tellOfLoss(error));
    this.#timer = setInterval(() => this.#looking === null && beat(), this.#times.beatMs).unref();
    this.parts.channel?.listen(beat);
    await this.look().catch((error: unknown) => this.#tellOfLoss(error));
  }

  async note(transaction: EntityManager, changed: ChangedKey): Promise<NotedChange> {
    return { number: await noteChange(transaction, changed), changed };
  }

  async takenOver({ number }: NotedChange): Promise<void> {
    const deadlineMs = this.#monotonicMs() + this.#times.timeoutMs;
    void this.parts.channel?.publish(String(number)).catch(() => {});
    let cause: unknown = null;
    for (let isFirst = true; this.#monotonicMs() < deadlineMs; isFirst = false) {
      try {
        const leftMs = deadlineMs - this.#monotonicMs();
        await within(leftMs, isFirst || (this.#changeRead ?? 0) < number ? this.look() : this.#readStanding());
        if (this.#isTakenOver(number)) return;
      } catch (error) {
        cause = error;
      }
      await sleep(waitPauseMs);
    }
    const message =
      'The change is made, but not every server has confirmed it yet. It holds on all of them within seconds; ask again to be sure.';
    throw new AppError('service_unavailable', message, { retryAfterMs: this.#times.lostMs, cause });
  }

  async close(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.parts.channel?.rest();
    await this.#looking?.catch(() => {});
    this.#right = null;
    this.current.dropAll();
    // Else the others find out by themselves that it is gone.
    await removeInstance(this.parts.unitOfWork.reader, this.parts.id, null).catch(() => {});
  }

  /** Gives a sign of life and reads what was changed, begun after this call; whoever asks meanwhile shares it. @throws the driver's error. */
  look(): Promise<void> {
    this.#next ??= (this.#looking ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        this.#next = null;
        this.#looking = this.#lookOnce().finally(() => {
          this.#looking = null;
        });
        return this.#looking;
      });
    return this.#next;
  }

  // The order is what all rests on: the sign of life is committed before the changes are read, and gives the right only after.
  async #lookOnce(): Promise<void> {
    const beganMs = this.#monotonicMs();
    const beganElapsedMs = this.parts.clock.elapsedMs();
    const isRunning = this.#timer !== null;
    if (isRunning) await this.#beat();
    const { number, isComplete } = await this.#readStanding();
    const isNew = number !== this.#changeRead;
    if (isNew) await this.#takeOver(number);
    // What the release before has changed until now, it has told nobody.
    if (isComplete && !this.#isComplete) this.current.dropAll();
    this.#isComplete = isComplete;
    if (!isRunning) return;
    if (!isComplete) this.#tellOfUnfinishedUpgrade();
    const { rightMs } = this.#times;
    this.#right = isComplete ? { untilMs: beganMs + rightMs, untilElapsedMs: beganElapsedMs + rightMs } : null;
    if (this.#isLossTold) this.parts.logger.info('key_changes_read_again');
    this.#isLossTold = false;
    // Somebody may be waiting for this instance.
    if (isNew) await this.#beat();
    await this.#tidy();
  }

  async #beat(): Promise<void> {
    const { id, unitOfWork } = this.parts;
    if (this.#isRegistered && (await writeBeat(unitOfWork.reader, id, this.#changeRead ?? 0))) return;
    // The first time, or struck off by others for a long silence, who no longer wait for this one.
    this.#right = null;
    await makeCount(unitOfWork.reader);
    await registerInstance(unitOfWork.reader, id);
    this.#isRegistered = true;
    this.#changeRead = null;
  }

  async #takeOver(number: number): Promise<void> {
    const after = this.#changeRead;
    const changes = after === null ? null : await findChanges(this.parts.unitOfWork.reader, { after, upTo: number });
    if (changes === null) this.current.dropAll();
    else for (const changed of changes) this.current.drop(changed);
    this.#changeRead = number;
  }

  async #readStanding() {
    const askedMs = this.#monotonicMs();
    const standing = await readStanding(this.parts.unitOfWork.reader);
    this.#standings.see(standing, { askedMs, answeredMs: this.#monotonicMs() });
    return standing;
  }

  #isTakenOver(number: number): boolean {
    const isHereDone = (this.#changeRead ?? 0) >= number;
    return isHereDone && this.#standings.haveRead(number, { ownId: this.parts.id, lostMs: this.#times.lostMs });
  }

  // A machine that was suspended may not have counted the time by its monotonic clock alone.
  #hasRight(): boolean {
    const right = this.#right;
    if (right === null) return false;
    return this.#monotonicMs() < right.untilMs && this.parts.clock.elapsedMs() < right.untilElapsedMs;
  }

  async #tidy(): Promise<void> {
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#tidiedMs < tidyMs) return;
    this.#tidiedMs = nowMs;
    const { reader } = this.parts.unitOfWork;
    for (const { id, beats } of this.#standings.listSilent(silentMs)) await removeInstance(reader, id, beats);
    const { readByAll } = this.#standings;
    if (readByAll <= this.#removedUpTo) return;
    await removeChanges(reader, readByAll);
    this.#removedUpTo = readByAll;
  }

  // Once a process: calls are right, and dearer than they need be.
  #tellOfUnfinishedUpgrade(): void {
    if (this.#isUnfinishedTold) return;
    this.#isUnfinishedTold = true;
    const remedy = 'When no server of the previous release runs any more: npm run tollgate -- upgrade finished';
    this.parts.logger.warn('upgrade_unfinished', { remedy });
  }

  #tellOfLoss(error: unknown): void {
    if (this.#isLossTold || this.#timer === null) return;
    this.#isLossTold = true;
    this.parts.logger.warn('key_changes_unread', { error });
  }
}

async function within(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  const timer = sleep(Math.max(0, timeoutMs), undefined, { signal: ended.signal }).then(() => {
    throw new Error('The database did not answer in time.');
  });
  timer.catch(() => {});
  await Promise.race([work, timer]).finally(() => ended.abort());
}
