import { type Metric, printMetrics } from '../kernel/metrics/metric.js';
import { FellowWorkers } from './fellow-workers.js';
import type { PrimaryMessage } from './worker-messages.js';
import { type ReportingWorker, WorkerReports } from './worker-reports.js';

const figures = (calls: number, { room = 1, held = 0 } = {}): readonly Metric[] => [
  { name: 'calls_total', help: 'Calls.', kind: 'counter', value: calls },
  { name: 'running', help: 'Running.', kind: 'gauge', value: 2 },
  { name: 'room', help: 'Room.', kind: 'gauge', value: room, ofSeveral: 'min' },
  { name: 'held', help: 'Held.', kind: 'gauge', value: held, ofSeveral: 'max' },
];

/** Workers and the primary process, with nothing but this test between. */
class FakePool {
  readonly reports = new WorkerReports(3);
  readonly #workers = new Map<number, ReportingWorker>();

  start(pid: number, list: () => readonly Metric[] | Promise<never>): FellowWorkers {
    let deliver: (message: PrimaryMessage) => void = () => {};
    const worker: ReportingWorker = { pid, send: (message) => setImmediate(deliver, message) };
    const fellows = new FellowWorkers(
      {
        send: (message) => void setImmediate(() => this.reports.receive(worker, message)),
        onMessage: (listener) => {
          deliver = listener;
        },
      },
      pid,
    );
    fellows.reportWith('metrics', async () => list());
    this.reports.add(worker);
    this.#workers.set(pid, worker);
    return fellows;
  }

  end(pid: number): void {
    const worker = this.#workers.get(pid);
    if (worker) this.reports.remove(worker);
  }
}

describe('WorkerReports', () => {
  const ask = async (fellows: FellowWorkers) => {
    const metrics = await fellows.listMetrics(async () => figures(0));
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };

  it('has whichever worker is asked answer for all: sums, and the highest or lowest where that is meant', async () => {
    const pool = new FakePool();
    const first = pool.start(1, () => figures(10, { held: 7 }));
    pool.start(2, () => figures(5, { room: 0, held: 7 }));
    const third = pool.start(3, () => figures(1));
    const sums = { calls_total: 16, running: 6, room: 0, held: 7, tollgate_workers: 3, tollgate_workers_answering: 3 };
    expect(await ask(first)).toEqual(sums);
    expect(await ask(third)).toEqual(sums);
  });

  it('lets no counter fall when a worker ends or is silent, leaves out the gauges of both, and says how many answered', async () => {
    const pool = new FakePool();
    let isStandingStill = false;
    const first = pool.start(1, () => figures(10));
    pool.start(2, () => figures(5));
    pool.start(3, () => (isStandingStill ? new Promise<never>(() => {}) : figures(1)));
    expect(await ask(first)).toMatchObject({ calls_total: 16, running: 6 });
    pool.end(2);
    expect(await ask(first)).toMatchObject({ calls_total: 16, running: 4, tollgate_workers_answering: 2 });
    pool.start(4, () => figures(3));
    expect(await ask(first)).toMatchObject({ calls_total: 19, running: 6, tollgate_workers_answering: 3 });
    isStandingStill = true;
    expect(await ask(first)).toMatchObject({ calls_total: 19, running: 4, tollgate_workers_answering: 2 });
  }, 20_000);

  it('adds up figures with the same labels, and the buckets of histograms, also of workers that have ended', async () => {
    const pool = new FakePool();
    const bucket = (le: string, value: number): Metric => ({
      ...{
        name: 'seconds_bucket',
        family: 'seconds',
        help: 'Seconds.',
        kind: 'histogram',
        labels: `le="${le}"`,
        value,
      },
    });
    const labelled = (model: string, value: number): Metric => ({
      ...{ name: 'calls_total', help: 'Calls.', kind: 'counter', labels: `model="${model}"`, value },
    });
    const first = pool.start(1, () => [labelled('a', 1), labelled('b', 2), bucket('1', 3), bucket('+Inf', 4)]);
    pool.start(2, () => [labelled('b', 5), bucket('1', 0), bucket('+Inf', 9)]);
    await ask(first);
    pool.end(2);
    const text = printMetrics(await first.listMetrics(async () => []));
    expect(text).toContain('# TYPE seconds histogram\nseconds_bucket{le="1"} 3\nseconds_bucket{le="+Inf"} 13\n');
    expect(text).toContain('# TYPE calls_total counter\ncalls_total{model="a"} 1\ncalls_total{model="b"} 7\n');
  });

  it('gives a worker’s own figures when the primary process does not answer', async () => {
    const alone = new FellowWorkers({ send: () => {}, onMessage: () => {} }, 1);
    const metrics = await alone.listMetrics(async () => figures(4));
    expect(metrics.find(({ name }) => name === 'calls_total')?.value).toBe(4);
    expect(metrics.find(({ name }) => name === 'tollgate_workers_answering')?.value).toBe(1);
    expect(metrics.find(({ name }) => name === 'tollgate_workers')).toBeUndefined();
  }, 20_000);
});
