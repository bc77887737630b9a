import { type EntityManager, type FindOptionsWhere, IsNull, MoreThan } from 'typeorm';
import { allowDuplicate } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { assertInvariant } from '../kernel/assert.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import type { Logger } from '../kernel/logger.js';
import { NoticeEntity, type NoticeState } from './notice.entity.js';
import { sharesHourWith } from './notice-kinds.js';

/** Something to tell. */
export interface NewNotice {
  /**
   * What it is about, in at most 191 characters: of several with the same key only the first is told. It begins with its kind and a
   * colon; `notice-kinds.ts` lists them all.
   */
  readonly subjectKey: string;
  /** null: for the operator. */
  readonly accountId: string | null;
  /**
   * `webhook`: the one of the balance alert; `endpoint`: one of the account’s endpoints. `dashboard`: nothing is sent, and the
   * account finds it among its notices; without a bound.
   */
  readonly channel: 'email' | 'webhook' | 'endpoint' | 'dashboard';
  /** Which endpoint, of that channel. */
  readonly endpointId?: string;
  readonly recipient: string;
  readonly title: string;
  /** Plain text of a mail, of which a long one keeps the first lines; JSON of a webhook. Never a secret. */
  readonly body: string;
  /** Of a mail that ends in a secret link: what the link is made for when the mail is sent. Whoever puts it bounds it. */
  readonly linkId?: string;
}

const hourMs = 3_600_000;
/** Of what may be refused by its kind (`notice-kinds.ts`), an account is sent no more than this in an hour, each way. */
const noticesPerHourMax = 10;

/** Of a mail; the column has room for 65,535 bytes. Whoever puts JSON bounds it. */
const mailBytesMax = 60_000;

const stateOf: Readonly<Record<NewNotice['channel'], NoticeState>> = {
  email: 'waiting',
  webhook: 'waiting',
  endpoint: 'queued',
  dashboard: 'sent',
};

/** How the subjects of tests begin, which an account asks for. */
export const testSubject = 'webhook-test:';
/** The subject of something that is told to an endpoint, too. */
export function endpointSubject(endpointId: string, subject: string): string {
  return `endpoint:${endpointId}:${subject}`;
}
/** How the subjects of messages about calls begin. */
export const callsSubject = 'calls:';

/**
 * Where notices wait to be sent. They are written with whatever made them necessary, in one transaction, so none is lost by a
 * crash; `MailSender` and `WebhookSender` send them.
 */
export class Outbox {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    /** Where the operator wants to be told; null: by the log alone. */
    private readonly operatorEmail: string | null,
    private readonly logger: Logger,
  ) {}

  /**
   * Writes a notice in the caller's transaction.
   * @returns false when this subject was told of before, and when the account has had its ten of this hour, which is logged; of the
   *   kinds that `notice-kinds.ts` keeps, none is refused so.
   */
  async put(transaction: EntityManager, notice: NewNotice): Promise<boolean> {
    if (await this.wasTold(transaction, notice.subjectKey)) return false;
    const nowMs = this.clock.nowMs();
    const { accountId, channel, endpointId = null, subjectKey, linkId = null } = notice;
    const sharing = linkId === null && channel !== 'dashboard' ? sharesHourWith(subjectKey) : null;
    const way = { channel, endpointId: endpointId ?? IsNull() };
    if (
      sharing !== null &&
      accountId !== null &&
      (await this.#isHourFull(transaction, { ...way, accountId, subjectKey: sharing }))
    ) {
      this.logger.warn('notice_refused', { accountId, channel, endpointId, subjectKey, perHourMax: noticesPerHourMax });
      return false;
    }
    await transaction.insert(NoticeEntity, toRow(notice, nowMs));
    return true;
  }

  /** Whether this subject was told of before: what tells one that `put` refuses so from one of a full hour. */
  async wasTold(transaction: EntityManager, subjectKey: string): Promise<boolean> {
    return transaction.existsBy(NoticeEntity, { subjectKey });
  }

  async #isHourFull(transaction: EntityManager, alike: FindOptionsWhere<NoticeEntity>): Promise<boolean> {
    const createdAtMs = MoreThan(this.clock.nowMs() - hourMs);
    const put = await transaction.countBy(NoticeEntity, { ...alike, createdAtMs, linkId: IsNull() });
    return put >= noticesPerHourMax;
  }

  /** Writes a notice for the operator, if there is an address for that. */
  async tellOperator(notice: Pick<NewNotice, 'subjectKey' | 'title' | 'body'>): Promise<void> {
    const recipient = this.operatorEmail;
    if (recipient === null) return;
    // Another instance may tell of the same thing.
    await allowDuplicate(
      this.unitOfWork.transactForServer((transaction) =>
        this.put(transaction, { ...notice, accountId: null, channel: 'email', recipient }),
      ),
    );
  }
}

/**
 * The same notice as a write that the ledger makes in a transaction of its own, where `table` has a row of which `where` holds, unless its
 * subject was told of before. Its kind is one that is never refused: nobody counts there what the account has had in this hour.
 */
export function toNoticeInsert<Value>(
  notice: NewNotice,
  nowMs: number,
  { table, where, values }: { readonly table: string; readonly where: string; readonly values: readonly Value[] },
) {
  assertInvariant(sharesHourWith(notice.subjectKey) === null, 'the ledger writes notices that are never refused');
  const row = toRow(notice, nowMs);
  const columns = {
    ...{ id: row.id, subject_key: row.subjectKey, account_id: row.accountId, channel: row.channel },
    ...{ endpoint_id: row.endpointId, recipient: row.recipient, title: row.title, body: row.body, link_id: row.linkId },
    ...{ state: row.state, attempts: row.attempts, due_at_ms: row.dueAtMs, created_at_ms: row.createdAtMs },
  };
  const names = Object.keys(columns);
  return {
    sql: `INSERT INTO notice (${names.join(', ')}) SELECT ${names.map(() => '?').join(', ')} FROM ${table}
          WHERE (${where}) AND NOT EXISTS (SELECT 1 FROM notice WHERE subject_key = ?)`,
    values: [...Object.values(columns), ...values, row.subjectKey],
  };
}

function toRow(notice: NewNotice, nowMs: number) {
  const { channel, endpointId = null, linkId = null } = notice;
  return {
    ...{ ...notice, id: createId('notice'), linkId, endpointId, title: notice.title.slice(0, 191) },
    body: channel === 'email' ? shorten(notice.body) : notice.body,
    ...{ state: stateOf[channel], attempts: 0, dueAtMs: nowMs, createdAtMs: nowMs },
  };
}

/** The first lines that fit, and how many are missing. */
function shorten(body: string): string {
  if (Buffer.byteLength(body) <= mailBytesMax) return body;
  const lines = body.split('\n');
  let bytes = 0;
  const count = lines.findIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > mailBytesMax;
  });
  return `${lines.slice(0, count).join('\n')}\nAnd ${lines.length - count} more lines, which stand in the log of the server.\n`;
}
