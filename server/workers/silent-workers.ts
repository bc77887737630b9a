import type { ReportingWorker } from './worker-reports.js';

const askEveryMs = 10_000;
/** A minute: no loop of a worker that serves anybody stands so long. */
export const unansweredMax = 6;
/** Five minutes: on a slow machine many that start together load their modules for as long as that takes. */
export const startingUnansweredMax = 30;

/**
 * In the primary process: asks each worker every ten seconds whether its loop turns, and tells of one that has left six questions in a
 * row unanswered, or thirty before it listens. Whatever else a worker waits for, as a migration, its loop turns. It goes by questions and not by the time, so that processes that were all stopped together are not taken for silent.
 */
export class SilentWorkers {
  readonly #unanswered = new Map<ReportingWorker, { count: number; max: number }>();
  readonly #timer = setInterval(() => this.ask(), askEveryMs).unref();

  /** @param onSilent Is told once of a worker, which is asked no more. */
  constructor(private readonly onSilent: (worker: ReportingWorker) => void) {}

  /** A worker was started. */
  add(worker: ReportingWorker): void {
    this.#unanswered.set(worker, { count: 0, max: startingUnansweredMax });
  }

  /** It listens. */
  noteListening(worker: ReportingWorker): void {
    if (this.#unanswered.has(worker)) this.#unanswered.set(worker, { count: 0, max: unansweredMax });
  }

  /** A worker has ended. */
  remove(worker: ReportingWorker): void {
    this.#unanswered.delete(worker);
  }

  /** Whatever a worker says is a sign of life. */
  hear(worker: ReportingWorker): void {
    const questions = this.#unanswered.get(worker);
    if (questions !== undefined) questions.count = 0;
  }

  ask(): void {
    for (const [worker, questions] of this.#unanswered) {
      if (questions.count < questions.max) {
        questions.count += 1;
        worker.send({ tollgate: 'alive_wanted' });
      } else {
        this.#unanswered.delete(worker);
        this.onSilent(worker);
      }
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
