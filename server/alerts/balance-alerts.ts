import { randomBytes } from 'node:crypto';
import { type FindOptionsWhere, IsNull, MoreThan } from 'typeorm';
import { noteEvent } from '../audit/note-event.js';
import { isUniqueViolation } from '../database/database-errors.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { formatGroupedCredits, requireNamedAmount, toCredits, toMillicredits } from '../kernel/millicredits.js';
import { readWallet } from '../ledger/read-wallet.js';
import { endpointSubject, type NewNotice, type Outbox } from '../notices/outbox.js';
import { assertWebhookUrl } from '../notices/webhook-address.js';
import { BalanceAlertEntity } from './balance-alert.entity.js';

export interface BalanceAlertsParts {
  readonly unitOfWork: UnitOfWork;
  readonly outbox: Pick<Outbox, 'put'>;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly isProduction: boolean;
  /** The address that the account has proved to read; null: none, and nothing is mailed. */
  findEmail(accountId: string): Promise<string | null>;
  /** The endpoints of the account that want to be told of a low balance. */
  listEndpoints(accountId: string): Promise<readonly { readonly id: string; readonly url: string }[]>;
  /** Called when an account has changed what it wants. */
  onChange(accountId: string): void;
}

export type BalanceAlert = Readonly<Omit<BalanceAlertEntity, 'account' | 'isArmed' | 'toldThresholdMillicredits'>>;

/** The balances at which `alertIfNeeded` would do something. */
export interface BalanceAlertRule {
  /** Below this it tells; null: it would not. */
  readonly tellBelow: number | null;
  /** From this on it arms itself again; null: it is armed. */
  readonly armFrom: number | null;
}

/** What is left out stays as it is. */
export interface BalanceAlertChange {
  readonly thresholdMillicredits?: number | null;
  readonly isByEmail?: boolean;
  readonly webhookUrl?: string | null;
  /** Whether budgets and spikes are told by the same ways. */
  readonly isUseTold?: boolean;
}

const alertsPerPage = 200;

/** Tells an account, once each time, that its balance has fallen below what it chose. */
export class BalanceAlerts {
  constructor(private readonly parts: BalanceAlertsParts) {}

  async find(accountId: string): Promise<BalanceAlert> {
    const row = await this.parts.unitOfWork.reader.findOneBy(BalanceAlertEntity, { accountId });
    const none = { thresholdMillicredits: null, webhookUrl: null, webhookSecret: null, isUseTold: null };
    return row ?? { accountId, ...none, isByEmail: true };
  }

  /** @throws InvalidInputError for a threshold of nothing, or an address that is not on the public internet. */
  async set(accountId: string, wanted: BalanceAlertChange): Promise<BalanceAlert> {
    const { isProduction, unitOfWork } = this.parts;
    const { thresholdMillicredits: threshold = null, webhookUrl } = wanted;
    if (webhookUrl != null) assertWebhookUrl('webhookUrl', webhookUrl, !isProduction);
    const before = await this.find(accountId);
    if (threshold !== null) {
      const field = { name: 'threshold', words: 'The threshold', least: 1 } as const;
      requireNamedAmount(threshold, { ...field, before: before.thresholdMillicredits });
    }
    const secretOf = (url: string | null) => (url === null ? null : (before.webhookSecret ?? makeSecret()));
    const secret = webhookUrl === undefined ? {} : { webhookSecret: secretOf(webhookUrl) };
    // Only what is wanted is written, so that two changes at once undo nothing of each other. What was told stays told: to switch an alert off and on again tells nobody anew.
    const row = { accountId, ...wanted, ...secret };
    const change = () =>
      unitOfWork.transact(async (transaction) => {
        const changed = await transaction.update(BalanceAlertEntity, { accountId }, row);
        if (changed.affected !== 0) await noteEvent(transaction, { accountId, kind: 'balance_alert_set' });
        return changed;
      });
    try {
      const first = { ...before, ...row, isArmed: true, toldThresholdMillicredits: null };
      if ((await change()).affected === 0) {
        await unitOfWork.transact(async (transaction) => {
          await transaction.insert(BalanceAlertEntity, first);
          await noteEvent(transaction, { accountId, kind: 'balance_alert_set' });
        });
      }
    } catch (error) {
      // Its first setting, twice at once.
      if (!isUniqueViolation(error)) throw error;
      await change();
    }
    this.parts.onChange(accountId);
    return this.find(accountId);
  }

  async findWebhookSecret(accountId: string): Promise<string | null> {
    return (await this.find(accountId)).webhookSecret;
  }

  /** How the account wants to be told of budgets and spikes, beside the dashboard; null: not that way, or not yet. */
  async findWaysOfUse(
    accountId: string,
  ): Promise<{ readonly email: string | null; readonly webhookUrl: string | null }> {
    const { isUseTold, isByEmail, webhookUrl } = await this.find(accountId);
    if (isUseTold !== true) return { email: null, webhookUrl: null };
    return { email: isByEmail ? await this.parts.findEmail(accountId) : null, webhookUrl };
  }

  /** The rule by which `alertIfNeeded` would do something; null: it never would, as things are. */
  async findRule(accountId: string): Promise<BalanceAlertRule | null> {
    const alert = await this.parts.unitOfWork.reader.findOneBy(BalanceAlertEntity, { accountId });
    if (alert === null) return null;
    const hasWay =
      alert.webhookUrl !== null ||
      (alert.isByEmail && (await this.parts.findEmail(accountId)) !== null) ||
      (await this.parts.listEndpoints(accountId)).length > 0;
    const { tellBelow, armFrom } = toRule(alert);
    // What cannot be told yet is kept until it can.
    const rule = { tellBelow: hasWay ? tellBelow : null, armFrom };
    return rule.tellBelow === null && rule.armFrom === null ? null : rule;
  }

  /**
   * Tells of a balance that has fallen below the threshold, unless that was told already; arms itself again once it has
   * risen to the threshold, and to the one that was told. By whichever instance: the row decides who was first.
   */
  async alertIfNeeded(accountId: string): Promise<void> {
    const rule = await this.findRule(accountId);
    if (rule === null) return;
    const email = await this.parts.findEmail(accountId);
    const endpoints = await this.parts.listEndpoints(accountId);
    await this.parts.unitOfWork.transactForServer(async (transaction) => {
      const wallet = await readWallet(transaction, accountId);
      const alert = wallet && (await transaction.findOneBy(BalanceAlertEntity, { accountId }));
      if (!alert) return;
      const { balanceMillicredits: balance } = wallet;
      const { tellBelow, armFrom } = toRule(alert);
      if (armFrom !== null && balance >= armFrom) {
        await transaction.update(BalanceAlertEntity, asItIs(alert), { isArmed: true, toldThresholdMillicredits: null });
        return;
      }
      const notices = this.#word(alert, balance, { email, endpoints });
      if (tellBelow === null || balance >= tellBelow || notices.length === 0) return;
      const told = { isArmed: false, toldThresholdMillicredits: alert.thresholdMillicredits };
      const { affected } = await transaction.update(BalanceAlertEntity, asItIs(alert), told);
      if (affected !== 1) return;
      for (const notice of notices) await this.parts.outbox.put(transaction, notice);
    });
  }

  /**
   * Accounts whose balance is such that `alertIfNeeded` may do something: all that have an alert are looked at. A hint; a call may be booked
   * meanwhile.
   */
  async *listUntold(): AsyncGenerator<string> {
    const { reader } = this.parts.unitOfWork;
    for (let after = ''; ; ) {
      const page = await reader.find(BalanceAlertEntity, {
        where: { accountId: MoreThan(after) },
        order: { accountId: 'ASC' },
        take: alertsPerPage,
      });
      for (const alert of page) {
        const { tellBelow, armFrom } = toRule(alert);
        const balance = (await readWallet(reader, alert.accountId))?.balanceMillicredits;
        if (balance === undefined) continue;
        if ((tellBelow !== null && balance < tellBelow) || (armFrom !== null && balance >= armFrom))
          yield alert.accountId;
      }
      after = page.at(-1)?.accountId ?? '';
      if (page.length < alertsPerPage) return;
    }
  }

  #word(
    alert: BalanceAlertEntity,
    balanceMillicredits: number,
    { email, endpoints }: { email: string | null; endpoints: readonly { readonly id: string; readonly url: string }[] },
  ): NewNotice[] {
    const { clock, publicUrl } = this.parts;
    const { accountId, thresholdMillicredits, isByEmail, webhookUrl } = alert;
    const balance = toMillicredits(balanceMillicredits);
    const threshold = toMillicredits(thresholdMillicredits ?? 0);
    const key = createId('notice');
    const title = `Your balance is below ${formatGroupedCredits(threshold)} credits`;
    const event = {
      type: 'balance.low',
      accountId,
      availableCredits: toCredits(balance),
      thresholdCredits: toCredits(threshold),
      at: new Date(clock.nowMs()).toISOString(),
    };
    const text = `${formatGroupedCredits(balance)} credits are left to spend. When they are used up, calls are refused. Buy credits here:\n${publicUrl}/credits\n`;
    const notices: NewNotice[] = [];
    if (isByEmail && email !== null)
      notices.push({ subjectKey: `low:mail:${key}`, accountId, channel: 'email', recipient: email, title, body: text });
    const message = { accountId, title, body: JSON.stringify(event) };
    if (webhookUrl !== null)
      notices.push({ subjectKey: `low:hook:${key}`, ...message, channel: 'webhook', recipient: webhookUrl });
    for (const { id: endpointId, url } of endpoints) {
      const subjectKey = endpointSubject(endpointId, `low:${key}`);
      notices.push({ subjectKey, ...message, channel: 'endpoint', endpointId, recipient: url });
    }
    return notices;
  }
}

function makeSecret(): string {
  return `tgwh_${randomBytes(32).toString('base64url')}`;
}

// A threshold below the one that was told is news even before the balance has risen.
function toRule({ thresholdMillicredits, toldThresholdMillicredits, isArmed }: BalanceAlertEntity): BalanceAlertRule {
  const told = toldThresholdMillicredits;
  const isNews = isArmed || (told !== null && thresholdMillicredits !== null && thresholdMillicredits < told);
  return {
    tellBelow: isNews ? thresholdMillicredits : null,
    armFrom: isArmed ? null : Math.max(thresholdMillicredits ?? 0, told ?? thresholdMillicredits ?? 1),
  };
}

/** Finds the row only while nobody has changed what was decided by. */
function asItIs(alert: BalanceAlertEntity): FindOptionsWhere<BalanceAlertEntity> {
  const { accountId, isArmed, thresholdMillicredits: threshold, toldThresholdMillicredits: told } = alert;
  return {
    accountId,
    isArmed,
    thresholdMillicredits: threshold ?? IsNull(),
    toldThresholdMillicredits: told ?? IsNull(),
  };
}
