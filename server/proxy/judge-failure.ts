import { AppError } from '../kernel/app-error.js';
import type { CallOutcome } from '../ledger/ledger-types.js';
import { AnswerLimitError } from '../providers/upstream-error.js';
import type { AnswerReading, AnswerSink } from './answer-reading.js';
import type { LeaveWatch } from './leave-watch.js';
import type { UsageMeter } from './metering/usage-meter.js';

interface FailedCall {
  readonly reading: Pick<AnswerReading, 'failure'>;
  readonly watch: Pick<LeaveWatch, 'hasLeft' | 'hasBrokenOff' | 'isEndedBy'>;
  readonly meter: Pick<UsageMeter, 'hasOutput'>;
  readonly sink: Pick<AnswerSink, 'hasTold'>;
}

export interface JudgedFailure {
  readonly outcome: CallOutcome;
  /** null: its caller has left. */
  readonly errorCode: string | null;
  /** Whether it passed a limit of ours, of time or of size. */
  readonly isEndedByLimit: boolean;
}

/** What a call that ended with an error comes to, and so what it costs. */
export function judgeFailure(error: unknown, { reading, watch, meter, sink }: FailedCall): JudgedFailure {
  // Where its caller is still there, that it cannot be given is our fault, and no leaving.
  if (reading.failure?.isOfSink && watch.hasLeft)
    return { outcome: 'abandoned', errorCode: null, isEndedByLimit: false };
  const code = error instanceof AppError ? error.code : 'internal_error';
  const errorCode = watch.hasBrokenOff ? null : code;
  const isEndedByLimit = errorCode === 'provider_timeout' || error instanceof AnswerLimitError;
  // Who was told nothing has nothing. What a limit of ours ends is paid, told or not: nobody has a model think for hours for nothing.
  const isPaid = meter.hasOutput && (sink.hasTold || isEndedByLimit);
  return {
    outcome: watch.isEndedBy(error) ? 'abandoned' : isPaid ? 'interrupted' : 'failed',
    errorCode,
    isEndedByLimit,
  };
}
