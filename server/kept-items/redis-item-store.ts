import type { SharedStoreWatch } from '../limits/stores/shared-store-watch.js';
import type { RedisConnection } from '../redis/redis-connection.js';
import { readTexts } from '../redis/script-answer.js';
import type { ItemStore, ItemStoreBounds, SealedItems } from './item-store.js';

// One hash for each account: `at:<n>` is a queue of what is kept, oldest first, and `is:<answer>` what it is. By Redis's own clock.
const keepScript = `
local second = tonumber(redis.call('TIME')[1])
local size = string.len(ARGV[4])
local first = tonumber(redis.call('HGET', KEYS[1], 'first') or '0')
local last = tonumber(redis.call('HGET', KEYS[1], 'last') or '0')
local bytes = tonumber(redis.call('HGET', KEYS[1], 'bytes') or '0')
while first < last do
  local ends, itsSize, answer = string.match(redis.call('HGET', KEYS[1], 'at:' .. first), '^(%d+) (%d+) (.+)$')
  if tonumber(ends) > second and bytes + size <= tonumber(ARGV[2]) then break end
  redis.call('HDEL', KEYS[1], 'at:' .. first, 'is:' .. answer)
  bytes = bytes - tonumber(itsSize)
  first = first + 1
end
local ends = second + tonumber(ARGV[1])
redis.call('HSET', KEYS[1], 'at:' .. last, ends .. ' ' .. size .. ' ' .. ARGV[3])
redis.call('HSET', KEYS[1], 'is:' .. ARGV[3], ends .. ' ' .. ARGV[4])
redis.call('HSET', KEYS[1], 'first', first)
redis.call('HSET', KEYS[1], 'last', last + 1)
redis.call('HSET', KEYS[1], 'bytes', bytes + size)
redis.call('EXPIRE', KEYS[1], ARGV[1])
`;

const findScript = `
local second = tonumber(redis.call('TIME')[1])
local found = {}
for index = 1, #ARGV do
  local ends, sealed = string.match(redis.call('HGET', KEYS[1], 'is:' .. ARGV[index]) or '', '^(%d+) (.+)$')
  found[index] = ends and tonumber(ends) > second and sealed or ''
end
return found
`;

interface RedisStoreParts {
  readonly connection: Pick<RedisConnection, 'runScript'>;
  readonly watch: SharedStoreWatch;
  /** Serves while Redis is away, and finds what it was given by then. */
  readonly own: ItemStore;
}

/**
 * The store that all instances share in Redis. What one account has is bounded there; the bytes of all are bounded for each
 * process, by what it wrote in the time that it may still be there.
 */
export class RedisItemStore implements ItemStore {
  readonly #parts: RedisStoreParts;
  #window = { endsAtMs: 0, bytes: 0, bytesBefore: 0 };

  constructor(
    parts: RedisStoreParts,
    private readonly bounds: ItemStoreBounds,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.#parts = parts;
  }

  keep(items: SealedItems): Promise<boolean> {
    const { connection, watch, own } = this.#parts;
    const text = items.sealed.toString('base64');
    const { bytesOfAccountMax, keptMs } = this.bounds;
    if (text.length > bytesOfAccountMax) return Promise.resolve(false);
    const askShared = async () => {
      if (!this.#hasRoomFor(text.length)) return false;
      const words = [Math.ceil(keptMs / 1_000), bytesOfAccountMax, items.answerId, text];
      await connection.runScript(keepScript, keyOf(items.accountId), ...words);
      return true;
    };
    return watch.ask(askShared, () => own.keep(items));
  }

  async find(accountId: string, answerIds: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    if (answerIds.length === 0) return new Map();
    const { connection, watch, own } = this.#parts;
    const askShared = async () => {
      const texts = readTexts(await connection.runScript(findScript, keyOf(accountId), ...answerIds));
      const pairs = answerIds.map((answerId, index) => [answerId, Buffer.from(texts[index] ?? '', 'base64')] as const);
      return new Map(pairs.filter(([, sealed]) => sealed.length > 0));
    };
    const kept = await own.find(accountId, answerIds);
    const shared = await watch.ask<ReadonlyMap<string, Buffer>>(askShared, async () => new Map());
    return new Map([...kept, ...shared]);
  }

  close(): void {
    // Its connection is everybody's.
    this.#parts.own.close();
  }

  // Whatever is still there was written in this window or in the one before.
  #hasRoomFor(bytes: number): boolean {
    const nowMs = this.nowMs();
    const { keptMs, bytesMax } = this.bounds;
    if (nowMs >= this.#window.endsAtMs) {
      const isNext = nowMs < this.#window.endsAtMs + keptMs;
      this.#window = { endsAtMs: nowMs + keptMs, bytes: 0, bytesBefore: isNext ? this.#window.bytes : 0 };
    }
    if (this.#window.bytesBefore + this.#window.bytes + bytes > bytesMax) return false;
    this.#window.bytes += bytes;
    return true;
  }
}

const keyOf = (accountId: string) => `tollgate:items:${accountId}`;
