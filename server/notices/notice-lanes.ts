import { type FindOptionsWhere, In, IsNull } from 'typeorm';
import { isDue } from '../database/time/is-due.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { FairPool } from '../kernel/jobs/fair-pool.js';
import { RepeatedJob } from '../kernel/jobs/repeated-job.js';
import { withinMs } from '../kernel/jobs/within-ms.js';
import type { Logger } from '../kernel/logger.js';
import { longestPauseMs } from './attempts.js';
import { NoticeEntity, type NoticeState } from './notice.entity.js';

type LaneColumn = 'accountId' | 'channel' | 'endpointId' | 'recipient' | 'linkId';
type Lane = Partial<Pick<NoticeEntity, LaneColumn>>;

export interface NoticeLanesParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** Which notices. Each channel belongs to one sender. */
  readonly channels: readonly NoticeEntity['channel'][];
  /** What those of one lane have in common: they are sent one after another. */
  readonly laneColumns: readonly LaneColumn[];
  readonly lanesAtOnceMax: number;
  /** Lanes of one account at once; left out: each lane is counted by itself. */
  readonly lanesOfAccountMax?: number;
  /** Sends one that nobody else does. What takes longer than `sendMsMax` is left to itself. @returns Whether the next one of its lane may be sent. */
  readonly send: (notice: NoticeEntity) => Promise<boolean>;
  /** Left out: 90 seconds, which is longer than a mail or a webhook takes. */
  readonly sendMsMax?: number | undefined;
  /** Between two looks; left out: five seconds. */
  readonly intervalMs?: number | undefined;
}

/** Longer than any attempt takes: a notice whose sender died is taken up by somebody else after it. */
const claimMs = 120_000;
/** Less than that, so that a lane is free again before what it is stuck with is taken up once more. */
const usualSendMsMax = 90_000;
const lanesPerLook = 500;
/** No notice of a lane is begun later in its turn. */
const turnMs = 5_000;
const noticesPerTurn = 20;
const pending: readonly NoticeState[] = ['waiting', 'queued'];

/**
 * Sends what is due in the outbox, on every instance, in lanes: those of one lane in the order in which they are due, one at a time in a
 * process, many lanes at once, that of the longest due notice first. A lane has a turn of five seconds and twenty notices; what is left then
 * is due behind what others have due by then. So nobody waits for a slow lane, however much is in it. A claim keeps two instances from sending the same.
 */
export class NoticeLanes {
  readonly #job: RepeatedJob;
  readonly #pool: FairPool;
  #isClosed = false;

  constructor(private readonly parts: NoticeLanesParts) {
    const { intervalMs = 5_000, lanesAtOnceMax, lanesOfAccountMax = 1, logger } = parts;
    const onFailure = (error: unknown) => logger.warn('notices_not_sent', { message: (error as Error).message });
    this.#job = new RepeatedJob({ run: () => this.#look(), intervalMs, onFailure });
    this.#pool = new FairPool({ atOnceMax: lanesAtOnceMax, ofOneOwnerMax: lanesOfAccountMax, onFailure });
  }

  /** Looks about every five seconds, whether what it found before was sent or not. */
  start(): void {
    this.#job.startAfterInterval();
  }

  /** Gives each lane that is due, up to 500, one turn, and waits for these. */
  async sendDue(): Promise<void> {
    await this.#look();
    await this.#pool.settle();
  }

  /** Begins nothing more; what is being sent has six seconds to end. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#job.close(), this.#pool.close()]);
  }

  async #look(): Promise<void> {
    const { lanesOfAccountMax } = this.parts;
    const lanes = await this.#findDueLanes();
    this.#pool.offer(
      lanes.map((lane) => {
        const key = JSON.stringify(lane);
        const owner = lanesOfAccountMax === undefined ? key : `${lane.accountId}`;
        return { key, owner, run: () => this.#serve(lane) };
      }),
    );
  }

  async #findDueLanes(): Promise<Lane[]> {
    const { laneColumns, unitOfWork } = this.parts;
    const query = unitOfWork.reader
      .createQueryBuilder(NoticeEntity, 'notice')
      .select('MIN(notice.dueAtMs)', 'firstDueAtMs')
      .where(this.#due())
      .orderBy('MIN(notice.dueAtMs)')
      .limit(lanesPerLook);
    for (const column of laneColumns) query.addSelect(`notice.${column}`, column).addGroupBy(`notice.${column}`);
    const rows = await query.getRawMany<Lane>();
    return rows.map((row) => Object.fromEntries(laneColumns.map((column) => [column, row[column]])));
  }

  async #serve(lane: Lane): Promise<void> {
    const { clock, send, sendMsMax = usualSendMsMax, unitOfWork } = this.parts;
    const begunMs = clock.elapsedMs();
    const due = await unitOfWork.reader.find(NoticeEntity, {
      where: { ...this.#due(), ...noticesOf(lane) },
      order: { dueAtMs: 'ASC', id: 'ASC' },
      take: noticesPerTurn,
    });
    for (const notice of due) {
      if (this.#isClosed) return;
      if (clock.elapsedMs() - begunMs >= turnMs) return this.#putBehind(lane);
      if (!(await this.#claim(notice))) return;
      const sent = send({ ...notice, attempts: notice.attempts + 1 });
      if (!(await withinMs(sendMsMax, sent, 'A notice was not done with in its time.'))) return;
    }
    if (due.length === noticesPerTurn) await this.#putBehind(lane);
  }

  /** Its next turn comes after those of who has waited meanwhile. Among equally due ones the order is that of their ids, that is of writing. */
  async #putBehind(lane: Lane): Promise<void> {
    const where = { ...this.#due(), ...noticesOf(lane) };
    const dueAtMs = this.parts.clock.nowMs();
    await this.parts.unitOfWork.transactForServer((transaction) =>
      transaction.update(NoticeEntity, where, { dueAtMs }),
    );
  }

  async #claim({ id, state, attempts, dueAtMs }: NoticeEntity): Promise<boolean> {
    const claimed = { attempts: attempts + 1, dueAtMs: this.parts.clock.nowMs() + claimMs };
    const { affected } = await this.parts.unitOfWork.transactForServer((transaction) =>
      transaction.update(NoticeEntity, { id, state, attempts, dueAtMs }, claimed),
    );
    return affected === 1;
  }

  #due(): FindOptionsWhere<NoticeEntity> {
    const { channels, clock } = this.parts;
    return { state: In(pending), channel: In(channels), dueAtMs: isDue(clock.nowMs(), longestPauseMs) };
  }
}

/** Which notices are in a lane. */
export function noticesOf(lane: Lane): FindOptionsWhere<NoticeEntity> {
  return Object.fromEntries(Object.entries(lane).map(([column, value]) => [column, value ?? IsNull()]));
}
