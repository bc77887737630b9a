import type { Metric } from '../kernel/metrics/metric.js';
import { mergeMetrics } from './merge-metrics.js';
import { type Collection, isPrimaryMessage, type ReportKind, type WorkerMessage } from './worker-messages.js';

/** The way to the primary process. */
export interface PrimaryChannel {
  send(message: WorkerMessage): void;
  onMessage(listener: (message: unknown) => void): void;
}

/** A scrape waits for databases that do not answer, a look at the health of a server does not. */
const timeoutMs: Readonly<Record<ReportKind, number>> = { metrics: 3_000, health: 1_000 };
/** The primary process answers by itself; only one that stands still is not waited for. */
const graceMs = 1_000;

/** In a worker: what all workers of this server say about themselves. */
export class FellowWorkers {
  readonly #answers = new Map<number, (collection: Collection | null) => void>();
  readonly #reports = new Map<ReportKind, () => Promise<unknown>>();
  #questionCount = 0;
  #cut: (() => void) | null = null;

  constructor(
    private readonly channel: PrimaryChannel,
    readonly pid: number,
  ) {
    channel.onMessage((message) => {
      if (!isPrimaryMessage(message)) return;
      if (message.tollgate === 'collected') this.#answers.get(message.question)?.(message.collection);
      if (message.tollgate === 'cut') this.#cut?.();
      if (message.tollgate === 'alive_wanted') channel.send({ tollgate: 'alive' });
      if (message.tollgate === 'report_wanted') void this.#report(message.question, message.kind);
    });
  }

  /** What this worker says when it is asked. */
  reportWith(kind: ReportKind, report: () => Promise<unknown>): void {
    this.#reports.set(kind, report);
  }

  /** What to do when the primary process waits no longer. */
  onCut(cut: () => void): void {
    this.#cut = cut;
  }

  /** Asks all, this one included. @returns null when the primary process does not answer. */
  collect(kind: ReportKind): Promise<Collection | null> {
    this.#questionCount += 1;
    const question = this.#questionCount;
    return new Promise((resolve) => {
      const answer = (collection: Collection | null) => {
        clearTimeout(timer);
        this.#answers.delete(question);
        resolve(collection);
      };
      const timer = setTimeout(() => answer(null), timeoutMs[kind] + graceMs);
      this.#answers.set(question, answer);
      this.channel.send({ tollgate: 'collect', question, kind, timeoutMs: timeoutMs[kind] });
    });
  }

  /** The figures of all workers as those of one server, and of how many they are. */
  async listMetrics(listOwn: () => Promise<readonly Metric[]>): Promise<readonly Metric[]> {
    const collection = await this.collect('metrics');
    const { wanted, reports, past } = collection ?? { wanted: null, reports: [], past: [] };
    const metrics = reports.length > 0 ? reports.map(({ report }) => report as readonly Metric[]) : [await listOwn()];
    const answering = gauge('tollgate_workers_answering', 'Workers whose figures are in this answer.', metrics.length);
    const merged = mergeMetrics(metrics, past as readonly (readonly Metric[])[]);
    if (wanted === null) return [...merged, answering];
    return [...merged, gauge('tollgate_workers', 'Processes that WORKERS asks for.', wanted), answering];
  }

  async #report(question: number, kind: ReportKind): Promise<void> {
    const report = await this.#reports
      .get(kind)?.()
      .catch(() => undefined);
    if (report !== undefined) this.channel.send({ tollgate: 'report', question, report });
  }
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, kind: 'gauge', value };
}
