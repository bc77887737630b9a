import { type EntityManager, IsNull, LessThan } from 'typeorm';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, InvalidInputError, NotFoundError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId, isId } from '../kernel/ids.js';
import { forgetKeySpend } from '../ledger/forget-key-spend.js';
import { ApiKeyEntity } from './api-key.entity.js';
import {
  type ActingKey,
  type KeyPermissions,
  readPermissions,
  requireSubset,
  writePermissions,
} from './key-permissions.js';
import { hashSecret, maskSecret, mintSecret } from './key-secret.js';
import { applySettings, checkName, type KeyRules, type KeySettings, usualPermissions } from './key-settings.js';
import { findMadeSecret, type MadeSecret, noteMadeSecret } from './made-once.js';
import type { SealHolder } from './sealed-secret.js';

/** A key without anything secret. */
export interface ApiKey extends KeyPermissions {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly maskedSecret: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Until when the secret before the last rotation works too; null, or in the past: it does not. */
  readonly graceEndsAtMs: number | null;
}

export interface CreatedKey {
  readonly apiKey: ApiKey;
  /** Shown to its owner now and never again. */
  readonly secret: string;
}

/** Which key of which account is changed, and by whom; without `by` its owner is signed in. */
export interface KeyChange {
  readonly accountId: string;
  readonly keyId: string;
  readonly by?: ActingKey | null;
}

export interface KeyPage {
  readonly first: number;
  readonly beforeId: string | null;
  readonly isWithRevoked: boolean;
}

/** A day: long enough to bring a new secret everywhere, and over soon. */
export const graceSecondsDefault = 86_400;
export const graceSecondsMax = 7 * 86_400;
const listedKeysMax = 1_000;

/**
 * The keys of accounts. Every method is bounded by the account: a foreign key answers as a missing one. A key that acts on
 * keys can give and change no more than it may itself (`beyond_own_permissions`).
 */
export class ApiKeyService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly rules: KeyRules,
    /** Is told of each change of a key before it is answered. */
    private readonly onChanged: (keyId: string, revision: number) => void = () => {},
  ) {}

  /**
   * Makes a key. However many are asked for at once, no more than `keysPerAccountMax` are active.
   * @param holder By whom and how it is asked for, so that the same again within 15 minutes answers the same key and secret.
   * @throws AppError `conflict` when that many are active already; InvalidInputError naming the setting at fault; with a
   *   holder, what `findMadeSecret` throws.
   */
  async createKey(
    accountId: string,
    settings: KeySettings & { readonly name: string },
    by: ActingKey | null = null,
    holder: SealHolder | null = null,
  ): Promise<CreatedKey> {
    const nowMs = this.clock.nowMs();
    const once = holder && { accountId, holder, input: ['createApiKey', settings], nowMs };
    return this.unitOfWork.transact(async (transaction) => {
      await lockKeysOfAccount(transaction, accountId);
      const made = once && (await findMadeSecret(transaction, once));
      if (made) return this.#showAgain(transaction, { accountId, by, ...made });
      const secret = mintSecret();
      const key = this.#composeKey(accountId, settings, { by, secret, nowMs });
      const activeKeys = await transaction.countBy(ApiKeyEntity, { accountId, revokedAtMs: IsNull() });
      if (activeKeys >= this.rules.keysPerAccountMax) throw new AppError('conflict', this.#describeLimit());
      await transaction.insert(ApiKeyEntity, key);
      if (once) await noteMadeSecret(transaction, once, { keyId: key.id, secret });
      return { apiKey: toApiKey(key), secret };
    });
  }

  #composeKey(
    accountId: string,
    { name, ...settings }: KeySettings & { readonly name: string },
    { by, secret, nowMs }: { readonly by: ActingKey | null; readonly secret: string; readonly nowMs: number },
  ): ApiKeyEntity {
    const permissions = applySettings(usualPermissions, settings, { rules: this.rules, nowMs });
    if (by) requireSubset(by, null, permissions);
    return {
      id: createId('key'),
      accountId,
      name: checkName(name),
      secretHash: hashSecret(secret),
      maskedSecret: maskSecret(secret),
      createdAtMs: nowMs,
      lastUsedAtMs: null,
      revokedAtMs: null,
      ...writePermissions(permissions),
      previousSecretHash: null,
      graceEndsAtMs: null,
      revision: 0,
    };
  }

  // The key as it is now. Whoever may no longer make it is not shown its secret again either.
  async #showAgain(
    transaction: EntityManager,
    made: MadeSecret & Pick<KeyChange, 'accountId' | 'by'>,
  ): Promise<CreatedKey> {
    const row = await transaction.findOneBy(ApiKeyEntity, { id: made.keyId, accountId: made.accountId });
    if (!row) throw new NotFoundError('API key');
    if (made.by) requireSubset(made.by, null, readPermissions(row));
    return { apiKey: toApiKey(row), secret: made.secret };
  }

  /** Newest first, revoked ones included; the newest 1,000. */
  async listKeys(accountId: string): Promise<readonly ApiKey[]> {
    const where = { accountId };
    const rows = await this.unitOfWork.reader.find(ApiKeyEntity, { where, order: { id: 'DESC' }, take: listedKeysMax });
    return rows.map(toApiKey);
  }

  /** Newest first. @param page.beforeId The last id of the page before; null: from the newest. */
  async listKeyPage(accountId: string, { first, beforeId, isWithRevoked }: KeyPage) {
    const rows = await this.unitOfWork.reader.find(ApiKeyEntity, {
      where: {
        accountId,
        ...(beforeId !== null && { id: LessThan(beforeId) }),
        ...(!isWithRevoked && { revokedAtMs: IsNull() }),
      },
      order: { id: 'DESC' },
      take: first + 1,
    });
    return { items: rows.slice(0, first).map(toApiKey), hasNextPage: rows.length > first };
  }

  async findKey(accountId: string, keyId: string): Promise<ApiKey | null> {
    if (!isId('key', keyId)) return null;
    const row = await this.unitOfWork.reader.findOneBy(ApiKeyEntity, { id: keyId, accountId });
    return row && toApiKey(row);
  }

  /**
   * Changes what a key may do; what is left out stays. It holds from its commit on, for the next call on every instance, since
   * each hold looks at the key in the database.
   * @throws NotFoundError; AppError `conflict` for a revoked key; InvalidInputError naming the setting at fault.
   */
  async updateKey(change: KeyChange, { name, ...settings }: KeySettings & { readonly name?: string }): Promise<ApiKey> {
    const nowMs = this.clock.nowMs();
    return this.#change(change, async (row, transaction) => {
      requireActive(row);
      const before = readPermissions(row);
      const after = applySettings(before, settings, { rules: this.rules, nowMs });
      if (change.by) requireSubset(change.by, row.id, after);
      if (before.spendPeriod !== after.spendPeriod) {
        await forgetKeySpend(transaction, { accountId: row.accountId, keyId: row.id });
      }
      return { ...writePermissions(after), ...(name === undefined ? {} : { name: checkName(name) }) };
    });
  }

  /**
   * Gives a key another secret, and nothing else. The old one works for `graceSeconds` more; of several rotations within the
   * grace only the last old secret does, and those before it end at once.
   * @param holder By whom and how it is asked for, so that the same again within 15 minutes answers the same secret.
   * @throws NotFoundError; AppError `conflict` for a revoked key; InvalidInputError for a grace out of 0 to 7 days; with a
   *   holder, what `findMadeSecret` throws.
   */
  async rotateKey(
    change: KeyChange,
    graceSeconds = graceSecondsDefault,
    holder: SealHolder | null = null,
  ): Promise<CreatedKey> {
    if (!Number.isInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > graceSecondsMax) {
      throw new InvalidInputError('graceSeconds', `The old secret can work for 0 to ${graceSecondsMax} seconds more.`);
    }
    const { accountId, keyId } = change;
    const nowMs = this.clock.nowMs();
    const graceEndsAtMs = nowMs + graceSeconds * 1_000;
    const once = holder && { accountId, holder, input: ['rotateApiKey', keyId, graceSeconds], nowMs };
    let secret = '';
    const apiKey = await this.#change(change, async (row, transaction) => {
      const made = once && (await findMadeSecret(transaction, once));
      secret = made?.secret ?? mintSecret();
      if (made) return null;
      requireActive(row);
      const isGraceful = graceSeconds > 0;
      if (once) await noteMadeSecret(transaction, once, { keyId, secret });
      return {
        secretHash: hashSecret(secret),
        maskedSecret: maskSecret(secret),
        previousSecretHash: isGraceful ? row.secretHash : null,
        graceEndsAtMs: isGraceful ? graceEndsAtMs : null,
      };
    });
    return { apiKey, secret };
  }

  /**
   * Ends a key for good. From its commit on no call can be paid with it, on any instance, since each hold looks at the
   * key's state. Revoking it again changes nothing.
   * @throws NotFoundError
   */
  async revokeKey(change: KeyChange): Promise<ApiKey> {
    return this.#change(change, async (row) => (row.revokedAtMs === null ? { revokedAtMs: this.clock.nowMs() } : null));
  }

  // One change of an account's keys at a time, so that each begins from what the one before it has left.
  async #change(
    { accountId, keyId, by }: KeyChange,
    work: (row: ApiKeyEntity, transaction: EntityManager) => Promise<Partial<ApiKeyEntity> | null>,
  ): Promise<ApiKey> {
    if (!isId('key', keyId)) throw new NotFoundError('API key');
    const changed = await this.unitOfWork.transact(async (transaction) => {
      await lockKeysOfAccount(transaction, accountId);
      const row = await transaction.findOneBy(ApiKeyEntity, { id: keyId, accountId });
      if (!row) throw new NotFoundError('API key');
      if (by) requireSubset(by, row.id, readPermissions(row));
      const change = await work(row, transaction);
      if (change === null) return row;
      const changedTo = { ...change, revision: row.revision + 1 };
      await transaction.update(ApiKeyEntity, { id: row.id }, changedTo);
      return { ...row, ...changedTo };
    });
    this.onChanged(keyId, changed.revision);
    return toApiKey(changed);
  }

  #describeLimit(): string {
    return this.rules.keysPerAccountMax === 1
      ? 'Your account has an active key already. Revoke it first, then create a new one.'
      : `Your account has ${this.rules.keysPerAccountMax} active keys, which is the most it may have. Revoke one first.`;
  }
}

function toApiKey(row: ApiKeyEntity): ApiKey {
  const { id, accountId, name, maskedSecret, createdAtMs, lastUsedAtMs, revokedAtMs, graceEndsAtMs } = row;
  const state = { createdAtMs, lastUsedAtMs, revokedAtMs, graceEndsAtMs };
  return { id, accountId, name, maskedSecret, ...state, ...readPermissions(row) };
}

function requireActive(row: ApiKeyEntity): void {
  if (row.revokedAtMs === null) return;
  throw new AppError('conflict', 'This key is revoked, and stays so. Create a new one.');
}

// Writing the account's row first makes attempts side by side wait for each other, so that each counts what the one
// before it has made. Named by its table, since keys know accounts by their id only.
async function lockKeysOfAccount(transaction: EntityManager, accountId: string): Promise<void> {
  const { affected } = await transaction.increment('account', { id: accountId }, 'keyRevision', 1);
  if (affected !== 1) throw new NotFoundError('account');
}
