import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';
import type { Announcement } from './announcements.js';

export interface AnnouncementBoardParts {
  /** All that are not over. */
  readonly listOpen: () => Promise<readonly Announcement[]>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly pollMs?: number;
}

const retryAfterMsMin = 1_000;
/** Where nobody has said when it ends, and at most. */
const retryAfterMsMax = 60_000;

/**
 * What is announced, in the memory of this process: it looks once a second whether another instance, or the command line, has changed
 * something. What cannot be read leaves what is known in force, which the log is told once.
 */
export class AnnouncementBoard {
  #open: readonly Announcement[] = [];
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #isUnread = false;

  constructor(private readonly parts: AnnouncementBoardParts) {}

  /** Looks, then keeps looking. @throws what the first look failed by. */
  async start(): Promise<void> {
    await this.#lookOnce();
    this.#timer = setInterval(() => {
      if (this.#looking === null) void this.look().catch(() => {});
    }, this.parts.pollMs ?? 1_000).unref();
  }

  /** Takes over what was changed until now. @throws when it cannot; what was known stays. */
  async look(): Promise<void> {
    // One that began before the change may not have seen it.
    await this.#looking?.catch(() => {});
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = null;
    });
    await this.#looking;
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#looking?.catch(() => {});
  }

  /** What everybody is told now: what has begun, and maintenance that is still to come. */
  listShown(): readonly Announcement[] {
    const nowMs = this.parts.clock.nowMs();
    return this.#open.filter((one) => !isOver(one, nowMs) && (one.isMaintenance || one.startsAtMs <= nowMs));
  }

  /** @throws AppError `maintenance` while one of them refuses new calls. Costs a call nothing while nothing is announced. */
  assertCallsTaken(): void {
    if (this.#open.length === 0) return;
    const nowMs = this.parts.clock.nowMs();
    const running = this.#open.find((one) => one.isMaintenance && one.startsAtMs <= nowMs && !isOver(one, nowMs));
    if (running === undefined) return;
    const { endsAtMs, text } = running;
    const leftMs = endsAtMs === null ? retryAfterMsMax : endsAtMs - nowMs;
    throw new AppError('maintenance', wordRefusal(endsAtMs, text), {
      retryAfterMs: Math.min(Math.max(leftMs, retryAfterMsMin), retryAfterMsMax),
      metadata: { ends_at: endsAtMs === null ? null : new Date(endsAtMs).toISOString() },
    });
  }

  async #lookOnce(): Promise<void> {
    try {
      this.#open = await this.parts.listOpen();
      this.#isUnread = false;
    } catch (error) {
      if (!this.#isUnread && this.#timer !== null) this.parts.logger.error('announcements_unread', { error });
      this.#isUnread = true;
      throw error;
    }
  }
}

function isOver({ endsAtMs }: Announcement, nowMs: number): boolean {
  return endsAtMs !== null && endsAtMs <= nowMs;
}

function wordRefusal(endsAtMs: number | null, text: string): string {
  const [until, when] =
    endsAtMs === null
      ? ['', 'in some minutes']
      : [` until ${new Date(endsAtMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`, 'then'];
  return `New calls are refused for maintenance${until}, and cost nothing. Try again ${when}. The operator says: ${text}`;
}
