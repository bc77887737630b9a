import { Between, LessThan, MoreThan } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { withinMs } from '../kernel/jobs/within-ms.js';
import type { Logger } from '../kernel/logger.js';
import { InstanceReportEntity } from './instance-report.entity.js';
import { type InstanceReport, readReport } from './instance-report.js';

/** A process, and what it last said of itself. */
export interface ReportedInstance extends InstanceReport {
  readonly id: string;
  /** By its own clock. One that has said nothing for half a minute has ended without a word, or hangs. */
  readonly reportedAtMs: number;
}

const reportMs = 5_000;
const timeoutMs = 5_000;
const keptMs = 3_600_000;
/** By which the clocks of processes that run may differ; more is left by a clock that was ahead. */
const aheadMsMax = 60_000;
const instancesMax = 100;

/** The processes that have said something within the last hour, at most 100; those that ended in order are gone. Those that another release reported in another shape are left out, as are reports of a clock that was ahead and is set right. */
export async function listReportedInstances(
  { reader }: Pick<UnitOfWork, 'reader'>,
  nowMs: number,
): Promise<readonly ReportedInstance[]> {
  const rows = await reader.find(InstanceReportEntity, {
    where: { reportedAtMs: Between(nowMs - keptMs, nowMs + aheadMsMax) },
    order: { id: 'ASC' },
    take: instancesMax,
  });
  return rows.flatMap(({ id, reportedAtMs, report }) => {
    const read = readReport(report);
    return read === null ? [] : [{ id, reportedAtMs, ...read }];
  });
}

export interface InstanceReporterParts {
  /** Of this process. */
  readonly id: string;
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Writes down every five seconds what this process says of itself, so that operators see all processes whichever one they ask. A report that cannot
 * be written is left out, and the log is told of the first of a row of them: nothing else depends on it.
 */
export class InstanceReporter {
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #isFailing = false;

  constructor(private readonly parts: InstanceReporterParts) {}

  /** Reports now, and again and again. */
  start(describe: () => InstanceReport): void {
    const report = () => {
      // One that hangs is not waited for by a second one.
      this.#writing ??= this.#report(describe()).finally(() => {
        this.#writing = null;
      });
    };
    report();
    this.#timer = setInterval(report, reportMs).unref();
  }

  /** Takes the report back, as far as the database is there. */
  async close(): Promise<void> {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    await this.#writing;
    const { id, unitOfWork } = this.parts;
    const removed = unitOfWork.transactForServer((transaction) => transaction.delete(InstanceReportEntity, { id }));
    await withinMs(timeoutMs, removed, 'late').catch(() => {});
  }

  async #report(report: InstanceReport): Promise<void> {
    try {
      await withinMs(timeoutMs, this.#write(report), 'The database did not answer in time.');
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.parts.logger.warn('instance_not_reported', { error });
      this.#isFailing = true;
    }
  }

  #write(report: InstanceReport): Promise<void> {
    const { id, unitOfWork, clock } = this.parts;
    const reportedAtMs = clock.nowMs();
    const row = { reportedAtMs, report: JSON.stringify(report) };
    return unitOfWork.transactForServer(async (transaction) => {
      const { affected } = await transaction.update(InstanceReportEntity, { id }, row);
      if (affected === 1) return;
      // The first time: whoever ended without a word long ago is forgotten, too.
      for (const past of [LessThan(reportedAtMs - keptMs), MoreThan(reportedAtMs + aheadMsMax)]) {
        await transaction.delete(InstanceReportEntity, { reportedAtMs: past });
      }
      await transaction.insert(InstanceReportEntity, { id, ...row });
    });
  }
}
