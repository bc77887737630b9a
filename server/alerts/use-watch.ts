import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { RepeatedJob } from '../kernel/jobs/repeated-job.js';
import type { Logger } from '../kernel/logger.js';
import { spanAt } from '../kernel/spend-period.js';
import { findLastCredits } from '../ledger/find-last-credits.js';
import type { KeySpend } from '../ledger/key-spend/key-spend-reader.js';
import { endpointSubject, type NewNotice, type Outbox } from '../notices/outbox.js';
import {
  decideBalanceAlert,
  decideBudgetAlert,
  decideMemberAlert,
  decideSpikeAlert,
  type MemberMail,
  type ToldMember,
  type UseAlert,
} from './decide-alerts.js';
import { listAccountsInUse, listBudgetedKeys, listBudgetedMembers, sumHours } from './find-use.js';
import { noteToldFilling, wasFillingTold } from './told-fillings.js';

/** How an account wants to be told of its use beside the dashboard; null and none: by the dashboard alone. */
export interface AlertWays {
  readonly email: string | null;
  readonly webhookUrl: string | null;
  /** Those that are told only of events that they want. */
  readonly endpoints: readonly { readonly id: string; readonly url: string; readonly events: readonly string[] }[];
}

export interface UseWatchParts {
  readonly unitOfWork: UnitOfWork;
  readonly keySpend: { sumKeySpend(accountId: string, nowMs: number): Promise<ReadonlyMap<string, KeySpend>> };
  readonly outbox: Pick<Outbox, 'put' | 'wasTold'>;
  findWays(accountId: string): Promise<AlertWays>;
  findMember(of: { readonly accountId: string; readonly personId: string }): Promise<ToldMember>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly publicUrl: string;
}

const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;
const accountsWaitingMax = 20_000;
const looksPerRoundMax = 500;
const looksAtOnce = 4;
const pageSize = 500;

/** The account has had all mails or webhooks that it is sent in an hour. */
class HourIsFullError extends Error {}

/**
 * Tells accounts of budgets and balances that are used up and of hours that cost far more than usual: on the dashboard, and by the
 * ways that the account chose. Never on a call's way: hearing only writes an account down, and a round each minute looks at those. Each alert is
 * told once, whichever instance sees it first: the outbox knows its subject, and all its ways are written in one transaction. After a
 * start, accounts whose keys were used within a day are looked at, so that nothing is missed with a server that died.
 */
export class UseWatch {
  readonly #waiting = new Set<string>();
  readonly #job: RepeatedJob;
  #isCaughtUp = false;
  #isClosed = false;

  constructor(private readonly parts: UseWatchParts) {
    const onFailure = (error: unknown) => this.#noteFailure(null, error);
    this.#job = new RepeatedJob({ run: () => this.look(), intervalMs: 60_000, onFailure });
  }

  /** Looks about every minute. */
  start(): void {
    this.#job.startAfterInterval();
  }

  /** An account has used something. More than 20,000 at once wait for their next call. */
  noteUse(accountId: string): void {
    if (!this.#isClosed && this.#waiting.size < accountsWaitingMax) this.#waiting.add(accountId);
  }

  /** Looks at up to 500 of those that were heard of. Never rejects: what fails is looked at in the next round. */
  async look(): Promise<void> {
    if (!this.#isCaughtUp) await this.#catchUp();
    const accounts = [...this.#waiting].slice(0, looksPerRoundMax);
    for (const accountId of accounts) this.#waiting.delete(accountId);
    const work = async () => {
      for (let next = accounts.shift(); next !== undefined && !this.#isClosed; next = accounts.shift()) {
        await this.#lookAt(next);
      }
    };
    await Promise.all(Array.from({ length: looksAtOnce }, work));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#job.close();
  }

  async #catchUp(): Promise<void> {
    const { clock, unitOfWork } = this.parts;
    const usedSinceMs = clock.nowMs() - 24 * hourMs;
    try {
      for (let afterKeyId = '', isMore = true; isMore && !this.#isClosed; ) {
        const page = { usedSinceMs, afterKeyId, first: pageSize };
        const found = await listAccountsInUse(unitOfWork.reader, page);
        for (const { accountId } of found) this.noteUse(accountId);
        afterKeyId = found.at(-1)?.keyId ?? '';
        isMore = found.length === pageSize;
      }
      this.#isCaughtUp = true;
    } catch (error) {
      this.#noteFailure(null, error);
    }
  }

  async #lookAt(accountId: string): Promise<void> {
    try {
      const alerts = await this.#decide(accountId);
      if (alerts.length === 0) return;
      const ways = await this.parts.findWays(accountId);
      for (const alert of alerts) await this.#tell(accountId, alert, ways);
    } catch (error) {
      this.noteUse(accountId);
      if (error instanceof HourIsFullError) return;
      this.#noteFailure(accountId, error);
    }
  }

  #noteFailure(accountId: string | null, error: unknown): void {
    this.parts.logger.warn('use_not_looked_at', { accountId, message: (error as Error).message });
  }

  async #decide(accountId: string): Promise<readonly UseAlert[]> {
    const { clock, keySpend, unitOfWork } = this.parts;
    const nowMs = clock.nowMs();
    const keys = await listBudgetedKeys(unitOfWork.reader, accountId);
    const spend = keys.length === 0 ? new Map<string, KeySpend>() : await keySpend.sumKeySpend(accountId, nowMs);
    const ofKeys = keys.map((key) => decideBudgetAlert(key, spend.get(key.keyId)?.[key.period] ?? 0, nowMs));
    const hours = await sumHours(unitOfWork.reader, accountId, nowMs - (nowMs % hourMs) - weekMs);
    const ofBalance = await this.#decideBalance(accountId);
    const ofMembers = await this.#decideMembers(accountId, nowMs);
    return [...ofKeys, ...ofMembers, ofBalance, decideSpikeAlert(accountId, hours, nowMs)].filter(
      (alert) => alert !== null,
    );
  }

  async #decideBalance(accountId: string): Promise<UseAlert | null> {
    const { unitOfWork } = this.parts;
    const lastCredits = await findLastCredits(unitOfWork, accountId);
    const alert = lastCredits && decideBalanceAlert(accountId, lastCredits);
    return alert && (await wasFillingTold(unitOfWork.reader, accountId, alert.filling)) ? null : alert;
  }

  async #decideMembers(accountId: string, nowMs: number): Promise<readonly UseAlert[]> {
    const { findMember, unitOfWork } = this.parts;
    const alerts: UseAlert[] = [];
    const members = await listBudgetedMembers(unitOfWork.reader, accountId, spanAt('month', nowMs).startsAtMs);
    for (const member of members) {
      const word = decideMemberAlert(member, { accountId, nowMs });
      if (word) alerts.push(word(await findMember({ accountId, personId: member.personId })));
    }
    return alerts;
  }

  async #tell(accountId: string, alert: UseAlert, { email, webhookUrl, endpoints }: AlertWays): Promise<void> {
    const { clock, outbox, publicUrl, unitOfWork } = this.parts;
    const { endpointTitle, subject, title, toMember } = alert;
    const page = {
      subjectKey: `${subject}:page`,
      accountId,
      channel: 'dashboard',
      recipient: '',
      title,
      body: '',
    } as const;
    const text = `${alert.text}\n\n${publicUrl}/budgets\n`;
    const at = new Date(clock.nowMs()).toISOString();
    try {
      await unitOfWork.transactForServer(async (transaction) => {
        // Noted, too, where an earlier release has told it.
        if (alert.filling && !(await noteToldFilling(transaction, accountId, alert.filling))) return;
        if (!(await outbox.put(transaction, page))) return;
        const mail = { subjectKey: `${subject}:mail`, accountId, channel: 'email', title, body: text } as const;
        const hookBody = JSON.stringify({ ...alert.event, accountId, at });
        const hook = { subjectKey: `${subject}:hook`, accountId, channel: 'webhook', title, body: hookBody } as const;
        const notices: NewNotice[] = [];
        if (email !== null) notices.push({ ...mail, recipient: email });
        if (webhookUrl !== null) notices.push({ ...hook, recipient: webhookUrl });
        for (const { id: endpointId, url, events } of endpoints) {
          if (!events.includes(String(alert.event.type))) continue;
          const subjectKey = endpointSubject(endpointId, subject);
          notices.push({
            ...hook,
            title: endpointTitle ?? title,
            subjectKey,
            channel: 'endpoint',
            endpointId,
            recipient: url,
          });
        }
        for (const notice of notices) {
          if (await outbox.put(transaction, notice)) continue;
          // One that was given up stays when the page is removed, and is told.
          if (await outbox.wasTold(transaction, notice.subjectKey)) continue;
          // Nothing of it is told now, and all of it when there is room again.
          throw new HourIsFullError();
        }
        // It counts in the hour of the member, whom other accounts tell of theirs: this account waits for none of them.
        if (toMember) await outbox.put(transaction, wordMemberMail(toMember, publicUrl));
      });
    } catch (error) {
      // Another instance has told it.
      if (!isUniqueViolation(error)) throw error;
    }
  }
}

function wordMemberMail({ personId, email, subject, title, text }: MemberMail, publicUrl: string): NewNotice {
  const body = `${text}\n\n${publicUrl}/budgets\n`;
  return { subjectKey: subject, accountId: personId, channel: 'email', recipient: email, title, body };
}
