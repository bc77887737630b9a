import { setTimeout as sleep } from 'node:timers/promises';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { LabelledCounter } from '../kernel/metrics/labelled-counter.js';
import type { Metric } from '../kernel/metrics/metric.js';
import { NoticeEntity } from './notice.entity.js';

const databaseTimeoutMs = 2_000;

/** Counts what a sender has sent of its channel; both senders' are one figure to whoever reads it. */
export function countNotices(channel: 'email' | 'webhook'): LabelledCounter {
  return new LabelledCounter('tollgate_notices_total', 'Mails and webhooks by what became of them.', [
    { name: 'channel', values: [channel] },
    { name: 'result', values: ['sent', 'logged', 'dropped', 'failed', 'given_up'] },
  ]);
}

/** What the outbox tells its operator, of all instances; left out while the database does not answer. */
export async function listNoticeMetrics(unitOfWork: UnitOfWork, clock: Clock): Promise<Metric[]> {
  const standing = await Promise.race([
    findStanding(unitOfWork).catch(() => null),
    sleep(databaseTimeoutMs, null, { ref: false }),
  ]);
  if (standing === null) return [];
  const lateSeconds = standing.oldestDueAtMs === null ? 0 : Math.max(0, clock.nowMs() - standing.oldestDueAtMs) / 1_000;
  const gauge = (name: string, help: string, value: number): Metric => ({
    name,
    help,
    kind: 'gauge',
    value,
    ofSeveral: 'max',
  });
  return [
    gauge('tollgate_notices_waiting', 'Mails and webhooks that are to be sent, or sent again.', standing.count),
    gauge('tollgate_notices_late_seconds', 'How long the oldest of them has been due.', lateSeconds),
  ];
}

async function findStanding({ reader }: UnitOfWork) {
  const [count, oldest] = await Promise.all([
    reader.countBy(NoticeEntity, { state: 'waiting' }),
    reader.findOne(NoticeEntity, { select: { dueAtMs: true }, where: { state: 'waiting' }, order: { dueAtMs: 'ASC' } }),
  ]);
  return { count, oldestDueAtMs: oldest?.dueAtMs ?? null };
}
