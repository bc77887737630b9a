import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { StateWatch } from '../kernel/jobs/state-watch.js';
import type { Logger } from '../kernel/logger.js';
import type { Announcement } from './announcements.js';

export interface AnnouncementBoardParts {
  /** All that are not over. */
  readonly listOpen: () => Promise<readonly Announcement[]>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const retryAfterMsMin = 1_000;
/** Where nobody has said when it ends, and at most. */
const retryAfterMsMax = 60_000;

/** What is announced, in the memory of this process: what another instance or the command line announces is known here within a second or two. */
export class AnnouncementBoard {
  readonly watch: StateWatch<readonly Announcement[]>;
  #open: readonly Announcement[] = [];

  constructor(private readonly parts: AnnouncementBoardParts) {
    const takeOver = (open: readonly Announcement[]) => {
      this.#open = open;
    };
    this.watch = new StateWatch({ name: 'announcements', read: parts.listOpen, takeOver, logger: parts.logger });
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
    throw new AppError('maintenance', describeRefusal(endsAtMs, text), {
      retryAfterMs: Math.min(Math.max(leftMs, retryAfterMsMin), retryAfterMsMax),
      metadata: { ends_at: endsAtMs === null ? null : new Date(endsAtMs).toISOString() },
    });
  }
}

function isOver({ endsAtMs }: Announcement, nowMs: number): boolean {
  return endsAtMs !== null && endsAtMs <= nowMs;
}

function describeRefusal(endsAtMs: number | null, text: string): string {
  const [until, when] =
    endsAtMs === null
      ? ['', 'in some minutes']
      : [` until ${new Date(endsAtMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`, 'then'];
  return `New calls are refused for maintenance${until}, and cost nothing. Try again ${when}. The operator says: ${text}`;
}
