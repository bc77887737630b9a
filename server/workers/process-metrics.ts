import { readdirSync } from 'node:fs';
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { LabelledCounter } from '../kernel/metrics/labelled-counter.js';
import { type Metric, writeLabels } from '../kernel/metrics/metric.js';
import { productVersion } from '../kernel/settings/product-version.js';

/** Two scrapes within it see the same delays, so that a second reader does not take them from the first. */
const delayWindowMs = 10_000;
const nanosecondsPerSecond = 1e9;

const collections: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weak_callbacks',
};

/** What this process needs of its machine: processor, memory, garbage collection, how long the event loop keeps others waiting. */
export class ProcessMetrics {
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  readonly #gcSeconds = new LabelledCounter('tollgate_gc_seconds_total', 'Time spent collecting garbage.', [
    { name: 'kind', values: Object.values(collections) },
  ]);
  readonly #observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      // The types of Node.js 20 know no detail of an entry; each has one.
      const { duration, detail } = entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } };
      const kind = collections[detail?.kind ?? -1] ?? '';
      this.#gcSeconds.add([kind], duration / 1_000);
    }
  });
  #delays: readonly (readonly [at: string, seconds: number])[] = [];
  #delaysReadAtMs = Number.NEGATIVE_INFINITY;

  start(): void {
    this.#delay.enable();
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  close(): void {
    this.#delay.disable();
    this.#observer.disconnect();
  }

  list(): Metric[] {
    const { rss, heapUsed, external } = process.memoryUsage();
    const cpu = process.cpuUsage();
    const loopMs = performance.eventLoopUtilization().active;
    const openFiles = countOpenFiles();
    const gauge = (name: string, help: string, value: number, labels = ''): Metric => ({
      name,
      help,
      kind: 'gauge',
      value,
      labels,
    });
    const counter = (name: string, help: string, value: number): Metric => ({ name, help, kind: 'counter', value });
    const version = writeLabels(['version', 'node'], [productVersion, process.version]);
    return [
      { ...gauge('tollgate_build_info', 'Always 1; the labels say what runs.', 1, version), ofSeveral: 'max' },
      {
        ...gauge('tollgate_start_timestamp_seconds', 'When this process started.', performance.timeOrigin / 1_000),
        ofSeveral: 'max',
      },
      counter('tollgate_cpu_seconds_total', 'Processor time, of all threads.', (cpu.user + cpu.system) / 1e6),
      counter('tollgate_event_loop_busy_seconds_total', 'How long the event loop was busy.', loopMs / 1_000),
      ...this.#readDelays().map(([at, seconds]): Metric => {
        const help = 'How late the event loop came to a timer since the scrape before.';
        const labels = writeLabels(['at'], [at]);
        return { ...gauge('tollgate_event_loop_delay_seconds', help, seconds, labels), ofSeveral: 'max' };
      }),
      ...this.#gcSeconds.list(),
      gauge('tollgate_resident_memory_bytes', 'Memory of the process.', rss),
      gauge('tollgate_heap_used_bytes', 'Memory of JavaScript objects.', heapUsed),
      gauge('tollgate_external_memory_bytes', 'Memory of buffers outside of the heap.', external),
      ...(openFiles === null ? [] : [gauge('tollgate_open_files', 'Files and sockets that are open.', openFiles)]),
    ];
  }

  #readDelays(): readonly (readonly [string, number])[] {
    const nowMs = performance.now();
    if (nowMs - this.#delaysReadAtMs < delayWindowMs) return this.#delays;
    const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / nanosecondsPerSecond : 0);
    this.#delays = [
      ['p50', seconds(this.#delay.percentile(50))],
      ['p99', seconds(this.#delay.percentile(99))],
      ['max', seconds(this.#delay.max)],
    ];
    this.#delay.reset();
    this.#delaysReadAtMs = nowMs;
    return this.#delays;
  }
}

// Linux tells it in a folder; elsewhere nobody does.
function countOpenFiles(): number | null {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}
