import { type Metric, writeLabels } from '../metrics/metric.js';

/** What a process does by itself, again and again. */
export interface Job {
  /** When it last came to its end without an error, in milliseconds since 1970; null: not since the start. */
  readonly lastDoneAtMs: number | null;
}

/**
 * When each job was last done, labelled `job_name`, since Prometheus has a `job` of its own. One that was never done in this process
 * counts from the process's start, so that a job that always fails is seen.
 */
export function listJobTimes(jobs: Readonly<Record<string, Job | null>>): Metric[] {
  return Object.entries(jobs).flatMap(([name, job]): Metric[] =>
    job === null
      ? []
      : [
          {
            name: 'tollgate_job_last_done_timestamp_seconds',
            kind: 'gauge',
            ofSeveral: 'min',
            help: 'When this process last did a job of its own to its end; at first, when it started.',
            labels: writeLabels(['job_name'], [name]),
            value: (job.lastDoneAtMs ?? performance.timeOrigin) / 1_000,
          },
        ],
  );
}
