/*
 * When a wallet is worth a lease, and how large. Pure rules; the database decides in the end, and gives no more than a quarter of
 * what is available.
 */

/** Two calls of a wallet within this time are followed by more, as far as anybody can tell. */
export const soonMs = 2_000;

/** A lease holds at least so many calls at their worst case; a wallet that has not four times that is served by holds alone. */
export const worstCasesMin = 4;

/** What the calls of one wallet have asked for lately, in millicredits. */
export interface Traffic {
  readonly sinceMs: number;
  readonly lastCallMs: number;
  /** The sum of their worst cases since then. */
  readonly asked: number;
  /** The same of the two seconds before. */
  readonly askedBefore: number;
  /** The largest of them. */
  readonly worst: number;
  readonly isBusy: boolean;
}

/** The traffic with one call more. */
export function addCall(before: Traffic | null, worstCase: number, nowMs: number): Traffic {
  const isNew = before === null || nowMs - before.lastCallMs > soonMs;
  if (isNew) {
    return { sinceMs: nowMs, lastCallMs: nowMs, asked: worstCase, askedBefore: 0, worst: worstCase, isBusy: false };
  }
  if (nowMs - before.sinceMs < soonMs) {
    const worst = Math.max(before.worst, worstCase);
    const { sinceMs, asked, askedBefore } = before;
    return { sinceMs, lastCallMs: nowMs, asked: asked + worstCase, askedBefore, worst, isBusy: true };
  }
  const worst = Math.max(worstCase, before.worst);
  return { sinceMs: nowMs, lastCallMs: nowMs, asked: worstCase, askedBefore: before.asked, worst, isBusy: true };
}

/** What to ask for: about two seconds of such calls at their worst case, which last longer where they cost less. */
export function sizeLease({ asked, askedBefore, worst }: Traffic): { amount: number; acceptFrom: number } {
  const acceptFrom = worst * worstCasesMin;
  return { amount: Math.max(acceptFrom, asked, askedBefore), acceptFrom };
}
