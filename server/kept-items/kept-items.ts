import type { Logger } from '../kernel/logger.js';
import { openSealedText, type SealKey, sealText } from '../kernel/sealed-text.js';
import type { Secret } from '../kernel/secret.js';
import { SharedStoreWatch } from '../limits/stores/shared-store-watch.js';
import { isRedisAway } from '../redis/redis-away.js';
import type { RedisConnection } from '../redis/redis-connection.js';
import { type ItemStore, type ItemStoreBounds, MemoryItemStore } from './item-store.js';
import { RedisItemStore } from './redis-item-store.js';

/** Who may refer to what was kept: one account, by the very key that asked. */
export interface ItemHolder {
  readonly accountId: string;
  readonly secret: Secret;
}

/** Of one answer, in characters of JSON; a longer one is not kept. */
export const keptCharactersMax = 512 * 1024;

const bounds = { bytesOfAccountMax: 8 * 1024 * 1024, bytesMax: 64 * 1024 * 1024 };
/** A store without room is told of so often. */
const fullPauseMs = 60_000;

/**
 * What the answers of `POST /responses` had, kept for a short while so that a client may refer to it in its next request instead
 * of sending it again. It is sealed with the caller's API key, which is stored nowhere: in memory and in Redis lies nothing
 * that anybody else could read, and nothing goes to a disk of ours.
 */
export class KeptItems {
  #tellAgainMs = 0;

  constructor(
    private readonly store: ItemStore,
    private readonly logger: Logger,
  ) {}

  /** Keeps the items of one answer. Never throws. @param json At most `keptCharactersMax`. */
  async keep(holder: ItemHolder, answerId: string, json: string): Promise<void> {
    const sealed = sealText(json, toSealKey(holder, answerId));
    if (await this.store.keep({ accountId: holder.accountId, answerId, sealed })) return;
    const nowMs = performance.now();
    if (nowMs < this.#tellAgainMs) return;
    this.#tellAgainMs = nowMs + fullPauseMs;
    this.logger.warn('response_items_have_no_room', { answerId });
  }

  /** Finds what this caller may refer to, as JSON, by the answers' ids. Never throws; what is gone is left out. */
  async find(holder: ItemHolder, answerIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const [answerId, sealed] of await this.store.find(holder.accountId, answerIds)) {
      const json = openSealedText(sealed, toSealKey(holder, answerId));
      if (json !== null) found.set(answerId, json);
    }
    return found;
  }

  close(): void {
    this.store.close();
  }
}

/**
 * Opens the store: shared by all instances where there is Redis, else of this process.
 * @param keptMs How long items are kept; 0: not at all.
 * @returns null when nothing is kept.
 */
export function openKeptItems(
  keptMs: number,
  { redis, logger }: { readonly redis: RedisConnection | null; readonly logger: Logger },
): KeptItems | null {
  if (keptMs === 0) return null;
  const inBounds: ItemStoreBounds = { ...bounds, keptMs };
  const own = new MemoryItemStore(inBounds);
  if (redis === null) return new KeptItems(own, logger);
  const watch = new SharedStoreWatch({
    isAway: isRedisAway,
    tell: (error) => logger.error('redis_refused', { error }),
  });
  return new KeptItems(new RedisItemStore({ connection: redis, watch, own }, inBounds), logger);
}

function toSealKey({ accountId, secret }: ItemHolder, answerId: string): SealKey {
  return { token: secret, purpose: `tollgate: items of the answer ${answerId} to ${accountId}` };
}
