import { IsNull } from 'typeorm';
import { isAged } from '../database/time/has-come.js';
import { isOlder } from '../database/time/is-due.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import type { KeyPermissions } from '../kernel/api-key.js';
import { AppError } from '../kernel/app-error.js';
import type { Clock } from '../kernel/clock.js';
import { withinMs } from '../kernel/jobs/within-ms.js';
import type { Logger } from '../kernel/logger.js';
import { ApiKeyEntity } from './api-key.entity.js';
import type { CurrentKeys, KnownKey } from './changes/current-keys.js';
import { readPermissions } from './key-permissions.js';
import { hashSecret, hasValidChecksum, maskSecret } from './key-secret.js';

export interface AuthenticatedKey {
  readonly keyId: string;
  readonly accountId: string;
  /** The person who made it, by the account that they signed up with. */
  readonly makerId: string;
  readonly permissions: KeyPermissions;
  /** Of the permissions and the secret, as they were read; a hold tells whether they still stand. */
  readonly revision: number;
  /** Whether whoever made it has a budget, in which its calls count. */
  readonly isMakerBudgeted: boolean;
  /** Reads the key again from the database. @throws AppError as `authenticate` does. */
  reload(): Promise<AuthenticatedKey>;
  /** Where a session stands in the place of a key: that whoever asks still may, right before what they are given. @throws AppError */
  readonly proveStanding?: () => Promise<void>;
}

interface RememberedKey {
  readonly row: ApiKeyEntity;
  readonly permissions: KeyPermissions;
  readonly readElapsedMs: number;
  /** When the secret ends by itself. */
  readonly endsAtMs: number;
  /** What is heard of it since. */
  readonly known: KnownKey;
  /** When its use was last written down, by whichever instance. */
  notedAtMs: number;
}

/** For so long a key is remembered of which nothing would be heard. */
const freshMs = 5_000;
/** For so long one that is watched; also a change that nobody was told of ends with it. */
const watchedMs = 60_000;
const rememberedMax = 50_000;
const minuteMs = 60_000;
/** Whoever waits longer for a key to be read had better come again. */
const readTimeoutMs = 3_000;

/**
 * Tells whose key a secret is, and what it may do. Remembers a valid key for a minute while it is known to stand unchanged, and
 * for five seconds while nothing would be heard of a change; a key that was revoked or changed meanwhile still cannot spend,
 * since each hold looks at its state and revision in the database.
 */
export class KeyAuthenticator {
  // By the secret's hash. A Map keeps the order of insertion, so its first entry is the oldest.
  readonly #remembered = new Map<string, RememberedKey>();
  readonly #notesUnderWay = new Set<Promise<void>>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly currentKeys: CurrentKeys,
  ) {}

  /**
   * Also notes the use of the key, at most once a minute and after the answer's way, so a slow write delays nobody.
   * @returns a promise only where the key has to be read: mostly it is remembered, and then a call waits for nothing.
   * @param isFresh Asks the database in any case: for what no hold stands behind.
   * @throws AppError `missing_api_key`; `invalid_api_key`, in the same words for a mistyped, an unknown, an expired and a
   *   revoked key, and for an old secret after its grace; `service_unavailable` while the database does not answer.
   */
  authenticate(secretText: string | null, { isFresh = false } = {}): AuthenticatedKey | Promise<AuthenticatedKey> {
    if (!secretText) {
      const message = 'No API key was sent. Put it into the header "Authorization: Bearer <key>".';
      throw new AppError('missing_api_key', message);
    }
    const key = this.#findKey(secretText, isFresh);
    return key instanceof Promise ? key.then((read) => this.#use(secretText, read)) : this.#use(secretText, key);
  }

  /** Waits for the notes under way; before the database is closed. */
  async drain(): Promise<void> {
    await Promise.all(this.#notesUnderWay);
  }

  #use(secretText: string, key: RememberedKey | null): AuthenticatedKey {
    if (!key) {
      const message = `Incorrect API key provided: ${maskSecret(secretText)}. Create or rotate one on the dashboard's page "Keys".`;
      throw new AppError('invalid_api_key', message);
    }
    this.#noteUse(key);
    const { row, permissions } = key;
    const reload = async () => this.authenticate(secretText, { isFresh: true });
    const isMakerBudgeted = row.makerBudgetMillicredits !== null;
    const { accountId, revision } = row;
    const makerId = row.madeBy ?? accountId;
    return { keyId: row.id, accountId, makerId, permissions, revision, isMakerBudgeted, reload };
  }

  #findKey(secretText: string, isFresh: boolean): RememberedKey | null | Promise<RememberedKey | null> {
    const secretHash = hashSecret(secretText);
    const remembered = isFresh ? null : this.#findFresh(secretHash);
    // What is remembered has stood this test; what fails it is not asked for.
    if (remembered || !hasValidChecksum(secretText)) return remembered;
    return this.#readAndRemember(secretHash, isFresh);
  }

  async #readAndRemember(secretHash: string, isFresh: boolean): Promise<RememberedKey | null> {
    const { position } = this.currentKeys;
    const row = await this.#readActiveKey(secretHash);
    // A request at our side may have been quicker; then its entry stands, and one note of the use is enough for both.
    const rememberedMeanwhile = this.#findFresh(secretHash);
    if (rememberedMeanwhile && !isFresh) return rememberedMeanwhile;
    this.#remembered.delete(secretHash);
    if (!row) return null;
    const notedAtMs = Math.max(row.lastUsedAtMs ?? 0, rememberedMeanwhile?.notedAtMs ?? 0);
    const { accountId, revision, expiresAtMs } = row;
    const read = { keyId: row.id, accountId, revision, expiresAtMs };
    const known = this.currentKeys.know(position, read);
    const times = { readElapsedMs: this.clock.elapsedMs(), endsAtMs: endOf(row, secretHash), notedAtMs };
    const key = { row, permissions: readPermissions(row), ...times, known: known ?? { ...read, standing: 'changed' } };
    // Something was changed while it was read: good for this request, and read again for the next.
    if (known !== null) this.#remember(secretHash, key);
    return key;
  }

  async #readActiveKey(secretHash: string): Promise<ApiKeyEntity | null> {
    try {
      const row = await withinMs(readTimeoutMs, this.#readKey(secretHash), 'The database takes too long.');
      return row && this.clock.nowMs() < endOf(row, secretHash) ? row : null;
    } catch (error) {
      // Whatever the driver says: the key may be good, so nobody is told that it is not.
      const message = 'API keys cannot be checked right now; nothing was charged. Try again shortly.';
      throw new AppError('service_unavailable', message, { retryAfterMs: 2_000, cause: error });
    }
  }

  async #readKey(secretHash: string): Promise<ApiKeyEntity | null> {
    const { reader } = this.unitOfWork;
    const revokedAtMs = IsNull();
    // Apart, since hardly anybody comes with an old secret.
    const row =
      (await reader.findOneBy(ApiKeyEntity, { secretHash, revokedAtMs })) ??
      (await reader.findOneBy(ApiKeyEntity, { previousSecretHash: secretHash, revokedAtMs }));
    // Another database knows no key of ours, and nobody is told so as if it were true.
    if (row === null) await this.unitOfWork.assertInPlace();
    return row;
  }

  #findFresh(secretHash: string): RememberedKey | null {
    const remembered = this.#remembered.get(secretHash);
    if (remembered === undefined || remembered.known.standing === 'changed') return null;
    const ageMs = this.clock.elapsedMs() - remembered.readElapsedMs;
    if (this.clock.nowMs() >= remembered.endsAtMs || ageMs >= watchedMs) return null;
    const { id, revision } = remembered.row;
    return ageMs < freshMs || this.currentKeys.isCurrent(id, revision) ? remembered : null;
  }

  #remember(secretHash: string, key: RememberedKey): void {
    const oldest = this.#remembered.size >= rememberedMax ? this.#remembered.keys().next().value : undefined;
    if (oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(secretHash, key);
  }

  #noteUse(key: RememberedKey): void {
    const nowMs = this.clock.nowMs();
    if (!isAged(key.notedAtMs, nowMs, minuteMs)) return;
    key.notedAtMs = nowMs;
    const note = this.#writeUse(key.row.id, nowMs).catch((error: unknown) =>
      this.logger.error('key_use_note_failed', { keyId: key.row.id, error }),
    );
    this.#notesUnderWay.add(note);
    void note.finally(() => this.#notesUnderWay.delete(note));
  }

  async #writeUse(keyId: string, nowMs: number): Promise<void> {
    const unused = { id: keyId, lastUsedAtMs: IsNull() };
    const usedBefore = { id: keyId, lastUsedAtMs: isOlder(nowMs, minuteMs) };
    await this.unitOfWork.transactForServer((transaction) =>
      transaction.update(ApiKeyEntity, [unused, usedBefore], { lastUsedAtMs: nowMs }),
    );
  }
}

// When a secret ends by itself: with its key, and an old one with its grace.
function endOf(row: ApiKeyEntity, secretHash: string): number {
  const graceEndsAtMs = row.secretHash === secretHash ? null : row.graceEndsAtMs;
  return Math.min(row.expiresAtMs ?? Number.POSITIVE_INFINITY, graceEndsAtMs ?? Number.POSITIVE_INFINITY);
}

type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Finds the secret that a caller sent: `Authorization: Bearer …`, else `x-api-key`, else `api-key`.
 * @param headers With names in lower case, as Node gives them.
 * @param isAnthropicForm `x-api-key` comes first then, as it does at Anthropic.
 * @returns The text as it was sent, unchecked; null when there is none.
 */
export function readKeyFromHeaders(headers: RequestHeaders, { isAnthropicForm = false } = {}): string | null {
  const bearer = /^bearer +(\S.*)$/i.exec(readOne(headers, 'authorization'))?.[1]?.trim() ?? '';
  const apiKey = readOne(headers, 'x-api-key');
  const [first, second] = isAnthropicForm ? [apiKey, bearer] : [bearer, apiKey];
  return first || second || readOne(headers, 'api-key') || null;
}

function readOne(headers: RequestHeaders, name: string): string {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0])?.trim() ?? '';
}
