import { LabelledCounter } from '../kernel/metrics/labelled-counter.js';
import { commitSeconds, LabelledHistogram } from '../kernel/metrics/labelled-histogram.js';
import type { Metric } from '../kernel/metrics/metric.js';
import { isRedisAway } from './redis-away.js';

const results = ['answered', 'timed_out', 'away', 'refused'] as const;

/** What this process sees of its commands to Redis: how many, how they ended, how long they took. */
export class RedisCommandMetrics {
  readonly #ended = new LabelledCounter('tollgate_redis_commands_total', 'Commands to Redis by how they ended.', [
    { name: 'result', values: results },
  ]);
  readonly #seconds = new LabelledHistogram(
    'tollgate_redis_command_seconds',
    'How long Redis took for a command that it answered.',
    commitSeconds,
    [],
  );
  #waiting = 0;
  #connections = 0;

  /** Counts a command that was just sent. @throws what it fails by. */
  async watch<Answer>(answering: Promise<Answer>): Promise<Answer> {
    const sentMs = performance.now();
    this.#waiting += 1;
    try {
      const answer = await answering;
      this.#seconds.observe([], (performance.now() - sentMs) / 1_000);
      this.#ended.add(['answered']);
      return answer;
    } catch (error) {
      this.#ended.add([nameFailure(error)]);
      throw error;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Counts a connection that is ready to be used. */
  noteConnected(): void {
    this.#connections += 1;
  }

  /** @param isReady Whether it can be asked now. */
  list(isReady: boolean): Metric[] {
    const up = 'Whether Redis answers; at 0 limits are counted by each process.';
    const connected = 'How often this process was connected to Redis; it grows with each time that it came back.';
    const waiting = 'Commands to Redis that are not answered yet.';
    return [
      { name: 'tollgate_redis_up', help: up, kind: 'gauge', value: isReady ? 1 : 0, ofSeveral: 'min' },
      { name: 'tollgate_redis_connections_total', help: connected, kind: 'counter', value: this.#connections },
      { name: 'tollgate_redis_commands_waiting', help: waiting, kind: 'gauge', value: this.#waiting },
      ...this.#ended.list(),
      ...this.#seconds.list(),
    ];
  }
}

function nameFailure(error: unknown): (typeof results)[number] {
  if (error instanceof Error && error.message === 'Command timed out') return 'timed_out';
  return isRedisAway(error) ? 'away' : 'refused';
}
