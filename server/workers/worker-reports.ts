import type { Metric } from '../kernel/metrics/metric.js';
import { mergeMetrics } from './merge-metrics.js';
import {
  type Collection,
  isWorkerMessage,
  type PrimaryMessage,
  type ReportKind,
  type WorkerMessage,
} from './worker-messages.js';

/** A worker, as far as it matters here. */
export interface ReportingWorker {
  readonly pid: number;
  send(message: PrimaryMessage): void;
}

interface Question {
  readonly asker: ReportingWorker;
  readonly askersNumber: number;
  readonly kind: ReportKind;
  readonly reports: { readonly pid: number; readonly report: unknown }[];
  readonly waitsFor: Set<ReportingWorker>;
  readonly timer: NodeJS.Timeout;
}

/**
 * In the primary process: hands the question of one to all, and their answers back. Who does not answer within the
 * time of the question is left out. Remembers the last figures of each, so that counters do not fall when a worker ends.
 */
export class WorkerReports {
  readonly #workers = new Set<ReportingWorker>();
  readonly #questions = new Map<number, Question>();
  readonly #lastMetrics = new Map<ReportingWorker, readonly Metric[]>();
  #endedMetrics: readonly Metric[] = [];
  #questionCount = 0;

  /** @param wanted How many workers there are to be. */
  constructor(private readonly wanted: number) {}

  add(worker: ReportingWorker): void {
    this.#workers.add(worker);
  }

  /** A worker has ended. */
  remove(worker: ReportingWorker): void {
    this.#workers.delete(worker);
    this.#endedMetrics = mergeMetrics([], [this.#endedMetrics, this.#lastMetrics.get(worker) ?? []]);
    this.#lastMetrics.delete(worker);
    for (const [number, question] of this.#questions) {
      if (question.waitsFor.delete(worker)) this.#answerIfWhole(number, question);
    }
  }

  /** Takes what a worker has sent; what is none of ours it leaves alone. */
  receive(worker: ReportingWorker, message: unknown): void {
    if (!isWorkerMessage(message)) return;
    if (message.tollgate === 'collect') this.#ask(worker, message);
    if (message.tollgate === 'report') this.#note(worker, message.question, message.report);
  }

  #ask(asker: ReportingWorker, { question, kind, timeoutMs }: WorkerMessage & { tollgate: 'collect' }): void {
    this.#questionCount += 1;
    const number = this.#questionCount;
    const timer = setTimeout(() => this.#answer(number), timeoutMs).unref();
    const waitsFor = new Set(this.#workers);
    this.#questions.set(number, { asker, askersNumber: question, kind, reports: [], waitsFor, timer });
    for (const worker of waitsFor) worker.send({ tollgate: 'report_wanted', question: number, kind });
  }

  #note(worker: ReportingWorker, number: number, report: unknown): void {
    const question = this.#questions.get(number);
    if (question === undefined || !question.waitsFor.delete(worker)) return;
    question.reports.push({ pid: worker.pid, report });
    if (question.kind === 'metrics') this.#lastMetrics.set(worker, report as readonly Metric[]);
    this.#answerIfWhole(number, question);
  }

  #answerIfWhole(number: number, { waitsFor }: Question): void {
    if (waitsFor.size === 0) this.#answer(number);
  }

  #answer(number: number): void {
    const question = this.#questions.get(number);
    if (question === undefined) return;
    this.#questions.delete(number);
    clearTimeout(question.timer);
    const silent = [...question.waitsFor].map((worker) => this.#lastMetrics.get(worker) ?? []);
    const past = question.kind === 'metrics' ? [...silent, this.#endedMetrics] : [];
    const collection: Collection = { wanted: this.wanted, reports: question.reports, past };
    question.asker.send({ tollgate: 'collected', question: question.askersNumber, collection });
  }
}
