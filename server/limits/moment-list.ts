import { type WindowEntry, windowMs } from './sliding-window.js';

/** Milliseconds since 1970-01-01 UTC in base 36, oldest first, with spaces between; `m*3` is three at that moment. */
export type Moments = string;

/**
 * With more requests than this in a window, those of a second are written as one moment. The row of a busy account is read and written
 * again and again: 61 moments cost a seventh of what 600 do, and a request that leaves up to a second late costs nobody much.
 */
const exactMax = 600;
const coarseMs = 1_000;

/** The requests of one account in its window, as they lie in the database, while its row is locked. */
export class MomentList {
  readonly #entries: { readonly atMs: number; count: number }[];
  readonly #nowMs: number;
  #count = 0;
  #isChanged = false;

  /** @param nowMs By the database's clock. */
  constructor(packed: Moments, nowMs: number) {
    const entries = readEntries(packed);
    this.#nowMs = nowMs;
    // One that lies further ahead than a window was written before the clock was set back.
    this.#entries = entries.filter(({ atMs }) => atMs > nowMs - windowMs && atMs <= nowMs + windowMs);
    for (const { count } of this.#entries) this.#count += count;
  }

  /** Whether something was entered. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** Enters one request if fewer than `limit` are there. */
  enter(limit: number): WindowEntry {
    const isEntered = this.#count < limit;
    if (isEntered) {
      // Never earlier than it was: it leaves the window a little late, and so no window holds more than the limit.
      const atMs = limit > exactMax ? Math.ceil(this.#nowMs / coarseMs) * coarseMs : this.#nowMs;
      const last = this.#entries.at(-1);
      if (last !== undefined && last.atMs >= atMs) last.count += 1;
      else this.#entries.push({ atMs, count: 1 });
      this.#count += 1;
      this.#isChanged = true;
    }
    const oldestMs = this.#entries[0]?.atMs;
    // One that is still to come, by a clock that was set back, makes nobody wait longer than one of now would.
    const leavesInMaxMs = windowMs + coarseMs;
    const oldestLeavesInMs = oldestMs === undefined ? 0 : Math.min(oldestMs + windowMs - this.#nowMs, leavesInMaxMs);
    return { isEntered, count: this.#count, oldestLeavesInMs };
  }

  pack(): Moments {
    return this.#entries
      .map(({ atMs, count }) => {
        const moment = atMs.toString(36);
        // The version before knows single moments only, and may read this row while servers are changed one by one.
        return this.#count > exactMax && count > 1 ? `${moment}*${count}` : Array(count).fill(moment).join(' ');
      })
      .join(' ');
  }
}

function readEntries(packed: Moments): { atMs: number; count: number }[] {
  const entries: { atMs: number; count: number }[] = [];
  let lastText = '';
  let last: { atMs: number; count: number } | null = null;
  for (const text of packed === '' ? [] : packed.split(' ')) {
    // Up to 600 requests of one moment stand there one by one.
    if (last !== null && text === lastText) last.count += 1;
    else {
      const [moment = '', count = '1'] = text.split('*');
      last = { atMs: Number.parseInt(moment, 36), count: Number(count) };
      entries.push(last);
      lastText = text.includes('*') ? '' : text;
    }
  }
  return entries;
}
