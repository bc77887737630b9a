import { toMillicredits } from '../format/format-credits';

/** What a receipt says that a timeline is made of. Money in credits, times in milliseconds. */
export interface TimedReceipt {
  readonly held: number;
  readonly charged: number;
  readonly absorbed: number;
  readonly totalMs: number;
  readonly streamed: boolean;
  readonly firstByteMs?: number | null;
  readonly balanceAfter?: number | null;
  readonly attempts: readonly {
    readonly provider: string;
    readonly upstreamModel: string;
    readonly status?: number | null;
    readonly errorCode?: string | null;
    /** From the arrival of the call; older receipts do not know it. */
    readonly startMs?: number | null;
    readonly durationMs: number;
  }[];
}

/** One step of a call: a moment, or a stretch of time, with what happened to the money. */
export interface TimelineStep {
  readonly kind:
    | 'reserved'
    | 'attempt'
    | 'failed'
    | 'first-token'
    | 'answer'
    | 'booked'
    | 'absorbed'
    | 'given-back'
    | 'balance';
  readonly label: string;
  /** From the arrival of the call; the end is the beginning for a moment. */
  readonly startMs: number;
  readonly endMs: number;
  /** Whole millicredits; null where no money moved. */
  readonly millicredits: bigint | null;
}

/**
 * A call as steps in time and money, in their order. Credits were reserved by when the first attempt began, and are booked when the
 * answer has ended. On receipts that do not know when their attempts began, these stand one after the other.
 */
export function toTimeline(call: TimedReceipt): readonly TimelineStep[] {
  const { totalMs } = call;
  const at = (kind: TimelineStep['kind'], label: string, atMs: number, millicredits: bigint | null): TimelineStep => ({
    kind,
    label,
    startMs: Math.min(atMs, totalMs),
    endMs: Math.min(atMs, totalMs),
    millicredits,
  });
  const steps: TimelineStep[] = [
    at('reserved', 'Reserved', call.attempts[0]?.startMs ?? 0, toMillicredits(call.held)),
    ...listAttempts(call),
  ];
  if (typeof call.firstByteMs === 'number') {
    steps.push(at('first-token', 'First token', call.firstByteMs, null));
    const label = call.streamed ? 'Streamed' : 'Answered at once';
    const startMs = Math.min(call.firstByteMs, totalMs);
    steps.push({ kind: 'answer', label, startMs, endMs: totalMs, millicredits: null });
  }
  steps.push(at('booked', 'Booked', totalMs, toMillicredits(call.charged)));
  if (call.absorbed > 0) steps.push(at('absorbed', 'Paid by the operator', totalMs, toMillicredits(call.absorbed)));
  const left = toMillicredits(call.held) - toMillicredits(call.charged);
  steps.push(at('given-back', 'Given back', totalMs, left > 0n ? left : 0n));
  if (typeof call.balanceAfter === 'number') {
    steps.push(at('balance', 'Balance after', totalMs, toMillicredits(call.balanceAfter)));
  }
  return steps;
}

function listAttempts({ attempts, totalMs }: TimedReceipt): TimelineStep[] {
  let lastEndMs = 0;
  return attempts.map(({ provider, upstreamModel, status, errorCode, startMs, durationMs }, index) => {
    const from = Math.min(startMs ?? lastEndMs, totalMs);
    lastEndMs = from + durationMs;
    const outcome = errorCode ?? 'answered';
    const code = typeof status === 'number' ? ` (${status})` : '';
    return {
      kind: typeof errorCode === 'string' ? 'failed' : 'attempt',
      label: `Attempt ${index + 1}: ${provider}/${upstreamModel}, ${outcome}${code}`,
      startMs: from,
      endMs: Math.min(lastEndMs, totalMs),
      millicredits: null,
    };
  });
}
