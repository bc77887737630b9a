/** What workers tell about themselves. */
export type ReportKind = 'metrics' | 'health';

/** From a worker to the primary process. */
export type WorkerMessage =
  | { readonly tollgate: 'collect'; readonly question: number; readonly kind: ReportKind; readonly timeoutMs: number }
  | { readonly tollgate: 'report'; readonly question: number; readonly report: unknown }
  | { readonly tollgate: 'alive' };

/** From the primary process to a worker. */
export type PrimaryMessage =
  | { readonly tollgate: 'report_wanted'; readonly question: number; readonly kind: ReportKind }
  | { readonly tollgate: 'collected'; readonly question: number; readonly collection: Collection }
  | { readonly tollgate: 'cut' }
  | { readonly tollgate: 'alive_wanted' };

/** What all workers have said about themselves, the one who asked included. */
export interface Collection {
  /** How many workers there are to be. */
  readonly wanted: number;
  /** Of those that answered in time. */
  readonly reports: readonly { readonly pid: number; readonly report: unknown }[];
  /** The last reports of those that run and were silent, and what is left of those that have ended. */
  readonly past: readonly unknown[];
}

/** Whether it is one of these; the others that Node.js hands on are none of ours. */
export function isWorkerMessage(message: unknown): message is WorkerMessage {
  return isOurs(message) && ['collect', 'report', 'alive'].includes(String(message.tollgate));
}

export function isPrimaryMessage(message: unknown): message is PrimaryMessage {
  return isOurs(message) && ['report_wanted', 'collected', 'cut', 'alive_wanted'].includes(String(message.tollgate));
}

function isOurs(message: unknown): message is { readonly tollgate: unknown } {
  return typeof message === 'object' && message !== null && 'tollgate' in message;
}
