import { type EntityManager, IsNull, LessThan } from 'typeorm';
import { noteEvent } from '../audit/note-event.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { ActingKey, ApiKey } from '../kernel/api-key.js';
import { AppError, InvalidInputError, NotFoundError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { createId, isId } from '../kernel/ids.js';
import { forgetKeySpend } from '../ledger/key-spend/forget-key-spend.js';
import { type ActingPerson, findMaker, type KeyMaker, type MembersOfKeys, requirePersonMay } from './acting-person.js';
import { ApiKeyEntity } from './api-key.entity.js';
import type { KeyChanges } from './changes/key-changes.js';
import { readPermissions, requireSubset, writePermissions } from './key-permissions.js';
import { hashSecret, maskSecret, mintSecret } from './key-secret.js';
import { applySettings, checkName, type KeyRules, type KeySettings, usualPermissions } from './key-settings.js';
import { findMadeSecret, type MadeSecret, noteMadeSecret } from './made-once.js';
import { toApiKey } from './read-api-key.js';
import type { SealHolder } from './sealed-secret.js';
import { requireActive, requireInForce, requireSecretSeen } from './secret-in-force.js';

export interface CreatedKey {
  readonly apiKey: ApiKey;
  /** Shown to its owner now and never again. */
  readonly secret: string;
}

/** Who acts on keys; without either it is this server. */
export interface KeyActor {
  readonly by?: ActingKey | null;
  readonly person?: ActingPerson | null;
}

/** Which key of which account is changed, and by whom. */
export interface KeyChange extends KeyActor {
  readonly accountId: string;
  readonly keyId: string;
}

/** What is left out stays; of a name, null as well. */
export type KeyUpdate = KeySettings & { readonly name?: string | null | undefined };

export interface KeyPage {
  readonly first: number;
  readonly beforeId: string | null;
  readonly isWithRevoked: boolean;
}

/** A day: long enough to bring a new secret everywhere, and over soon. */
const graceSecondsDefault = 86_400;
const graceSecondsMax = 7 * 86_400;
const listedKeysMax = 1_000;

/**
 * The keys of accounts. Every method is bounded by the account: a foreign key answers as a missing one. A key that acts on
 * keys can give and change no more than it may itself (`beyond_own_permissions`). A change is answered once every running
 * instance has taken it over, or has lost its right to let calls in by what it knows; where that cannot be found out within
 * seconds, the change is made and AppError `service_unavailable` is thrown.
 */
export class ApiKeyService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly rules: KeyRules,
    private readonly keyChanges: KeyChanges,
    private readonly members: MembersOfKeys | null = null,
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
    { by = null, person = null }: KeyActor = {},
    holder: SealHolder | null = null,
  ): Promise<CreatedKey> {
    const nowMs = this.clock.nowMs();
    const rules = await this.#findRules(accountId);
    const once = holder && { accountId, holder, input: ['createApiKey', settings], nowMs };
    return this.unitOfWork.transactInTurn(accountId, async (transaction) => {
      await lockKeysOfAccount(transaction, accountId);
      const made = once && (await findMadeSecret(transaction, once));
      if (made) return this.#showAgain(transaction, { accountId, by, ...made });
      const secret = mintSecret();
      const maker = await findMaker(transaction, { accountId, by, person }, this.members);
      const key = this.#composeKey(accountId, settings, { by, person, maker, secret, rules, nowMs });
      const activeKeys = await transaction.countBy(ApiKeyEntity, { accountId, revokedAtMs: IsNull() });
      if (activeKeys >= rules.keysPerAccountMax) throw new AppError('conflict', describeLimit(rules));
      await transaction.insert(ApiKeyEntity, key);
      await noteEvent(transaction, { accountId, kind: 'key_created', subjectId: key.id, detail: key.name });
      if (once) await noteMadeSecret(transaction, once, { keyId: key.id, secret });
      return { apiKey: toApiKey(key), secret };
    });
  }

  #composeKey(
    accountId: string,
    { name, ...settings }: KeySettings & { readonly name: string },
    { by, person, maker, secret, rules, nowMs }: KeyActor & NewKeyParts,
  ): ApiKeyEntity {
    const permissions = applySettings(usualPermissions, settings, { rules, nowMs });
    if (by) requireSubset(by, null, permissions);
    if (person) requirePersonMay(person, null, permissions);
    return {
      id: createId('key'),
      accountId,
      name: checkName(name),
      ...maker,
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

  // The key as it is now. Whoever may no longer make it is not shown its secret again either, nor is anybody a dead one.
  async #showAgain(
    transaction: EntityManager,
    made: MadeSecret & Pick<KeyChange, 'accountId' | 'by'>,
  ): Promise<CreatedKey> {
    const row = await transaction.findOneBy(ApiKeyEntity, { id: made.keyId, accountId: made.accountId });
    if (!row) throw new NotFoundError('API key');
    if (made.by) requireSubset(made.by, null, readPermissions(row));
    requireInForce(row, made);
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
   * Changes what a key may do; what is left out stays. It holds for the next call on every instance.
   * @throws NotFoundError; AppError `conflict` for a revoked key; InvalidInputError naming the setting at fault.
   */
  async updateKey(change: KeyChange, { name, ...settings }: KeyUpdate): Promise<ApiKey> {
    const nowMs = this.clock.nowMs();
    const rules = await this.#findRules(change.accountId);
    return this.#change(change, 'key_changed', async (row, transaction) => {
      requireActive(row);
      const before = readPermissions(row);
      const after = applySettings(before, settings, { rules, nowMs });
      if (change.by) requireSubset(change.by, row.id, after);
      if (change.person) requirePersonMay(change.person, row, after);
      if (before.spendPeriod !== after.spendPeriod) {
        await forgetKeySpend(transaction, { accountId: row.accountId, keyId: row.id });
      }
      return { ...writePermissions(after), ...(name == null ? {} : { name: checkName(name) }) };
    });
  }

  /**
   * Gives a key another secret, and nothing else. The old one works for `graceSeconds` more; of several rotations within the
   * grace only the last old secret does, and those before it end at once.
   * @param holder By whom and how it is asked for, so that the same again within 15 minutes answers the same secret.
   * @throws NotFoundError; AppError `conflict` for a revoked key and where another request rotates it at this moment; InvalidInputError
   *   for a grace out of 0 to 7 days; with a holder, what `findMadeSecret` throws.
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
    const once = holder && { accountId, holder, input: ['rotateApiKey', keyId, graceSeconds], nowMs };
    const seen = await this.unitOfWork.reader.findOneBy(ApiKeyEntity, { id: keyId, accountId });
    let secret = '';
    const apiKey = await this.#change(change, 'key_rotated', async (row, transaction) => {
      const made = once && (await findMadeSecret(transaction, once));
      secret = made?.secret ?? mintSecret();
      if (made) return requireInForce(row, made);
      requireSecretSeen(row, seen);
      const isGraceful = graceSeconds > 0;
      if (once) await noteMadeSecret(transaction, once, { keyId, secret });
      return {
        secretHash: hashSecret(secret),
        maskedSecret: maskSecret(secret),
        previousSecretHash: isGraceful ? row.secretHash : null,
        graceEndsAtMs: isGraceful ? nowMs + graceSeconds * 1_000 : null,
      };
    });
    return { apiKey, secret };
  }

  /**
   * Ends a key for ever. Once it is answered, no call can be paid with it on any instance. Revoking it again changes nothing,
   * and waits for all instances again.
   * @param also Written in the same transaction.
   * @throws NotFoundError
   */
  async revokeKey(change: KeyChange, also?: (transaction: EntityManager) => Promise<void>): Promise<ApiKey> {
    return this.#change(change, 'key_revoked', async (row, transaction) => {
      await also?.(transaction);
      return row.revokedAtMs === null ? { revokedAtMs: this.clock.nowMs() } : null;
    });
  }

  /** Ends the old secret of a rotated key at once. @param also Written in the same transaction. @throws NotFoundError */
  async endGrace(change: KeyChange, also?: (transaction: EntityManager) => Promise<void>): Promise<ApiKey> {
    return this.#change(change, 'key_changed', async (row, transaction) => {
      await also?.(transaction);
      return row.previousSecretHash === null ? null : { previousSecretHash: null, graceEndsAtMs: null };
    });
  }

  // One change of an account's keys at a time, so that each begins from what the one before it has left.
  async #change(
    { accountId, keyId, by, person }: KeyChange,
    kind: 'key_changed' | 'key_rotated' | 'key_revoked',
    work: (row: ApiKeyEntity, transaction: EntityManager) => Promise<Partial<ApiKeyEntity> | null>,
  ): Promise<ApiKey> {
    if (!isId('key', keyId)) throw new NotFoundError('API key');
    const { apiKey, noted } = await this.unitOfWork.transactInTurn(accountId, async (transaction) => {
      await lockKeysOfAccount(transaction, accountId);
      const row = await transaction.findOneBy(ApiKeyEntity, { id: keyId, accountId });
      if (!row) throw new NotFoundError('API key');
      if (by) requireSubset(by, row.id, readPermissions(row));
      if (person) requirePersonMay(person, row, null);
      const change = await work(row, transaction);
      const changed = change && { ...change, revision: row.revision + 1 };
      if (changed) {
        await transaction.update(ApiKeyEntity, { id: row.id }, changed);
        await noteEvent(transaction, { accountId, kind, subjectId: row.id, detail: changed.name ?? row.name });
      }
      // Also where nothing is left to change: whoever asks again may have had no answer, because an instance did not know yet.
      return {
        apiKey: toApiKey({ ...row, ...changed }),
        noted: await this.keyChanges.note(transaction, { accountId, keyId }),
      };
    });
    await this.keyChanges.takenOver(noted);
    return apiKey;
  }

  // What an operator has set for the account stands before the server's.
  async #findRules(accountId: string): Promise<KeyRules> {
    const own = await this.rules.findOwn(accountId);
    return {
      ...this.rules,
      keysPerAccountMax: own.keysMax ?? this.rules.keysPerAccountMax,
      requestsPerMinute: own.requestsPerMinute ?? this.rules.requestsPerMinute,
      tokensPerMinute: own.tokensPerMinute ?? this.rules.tokensPerMinute,
    };
  }
}

interface NewKeyParts {
  readonly maker: KeyMaker;
  readonly secret: string;
  readonly rules: KeyRules;
  readonly nowMs: number;
}

function describeLimit({ keysPerAccountMax }: KeyRules): string {
  return keysPerAccountMax === 1
    ? 'Your account has an active key already. Revoke it first, then create a new one.'
    : `Your account has ${keysPerAccountMax} or more active keys, and may have no more than that. Revoke one first.`;
}

// Writing the account's row first makes attempts side by side wait for each other, so that each counts what the one
// before it has made. Named by its table, since keys know accounts by their id only.
async function lockKeysOfAccount(transaction: EntityManager, accountId: string): Promise<void> {
  const { affected } = await transaction.increment('account', { id: accountId }, 'keyRevision', 1);
  if (affected !== 1) throw new NotFoundError('account');
}
