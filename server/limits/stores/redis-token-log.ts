import type { RedisConnection } from '../../redis/redis-connection.js';
import { readList, readNumbers, readTexts } from '../../redis/script-answer.js';
import {
  describeWindow,
  type TokenEntry,
  type TokenLog,
  type TokenSecond,
  type TokensToEnter,
  tokenWindowSeconds,
} from '../token-log.js';
import type { SharedStoreWatch } from './shared-store-watch.js';

// One step for Redis, measured by its own clock, so that instances whose clocks differ agree.
const enterScript = `
local time = redis.call('TIME')
local second = tonumber(time[1])
local found = redis.call('HGETALL', KEYS[1])
local used = 0
for index = 1, #found, 2 do
  local at = tonumber(found[index])
  -- Further ahead than a window: written before the clock was set back.
  if at + tonumber(ARGV[1]) + 1 <= second or at > second + tonumber(ARGV[1]) then
    redis.call('HDEL', KEYS[1], found[index])
  else
    used = used + tonumber(found[index + 1])
  end
end
local entered = 0
if used + tonumber(ARGV[2]) <= tonumber(ARGV[3]) then
  redis.call('HINCRBY', KEYS[1], time[1], ARGV[2])
  redis.call('EXPIRE', KEYS[1], tonumber(ARGV[1]) + 2)
  entered = 1
end
return { entered, second, math.floor(tonumber(time[2]) / 1000), redis.call('HGETALL', KEYS[1]) }
`;

const correctScript = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2]) end
`;

/** The log that all instances share in Redis: a number for each second of each account or key. */
export class RedisTokenLog implements TokenLog {
  constructor(private readonly connection: Pick<RedisConnection, 'runScript'>) {}

  async enter({ ownerId, tokens, limit }: TokensToEnter): Promise<TokenEntry> {
    const key = `tollgate:tokens:${ownerId}`;
    const answer = await this.connection.runScript(enterScript, key, tokenWindowSeconds, tokens, limit);
    const [found, ...others] = readList(answer, 4).toReversed();
    const bounds = [
      [0, 1],
      [0, Number.MAX_SAFE_INTEGER],
      [0, 999],
    ] as const;
    const [entered, second = 0, thousandths = 0] = readNumbers(others.toReversed(), bounds);
    const seconds = toSeconds(found);
    const isEntered = entered === 1;
    const nowMs = second * 1_000 + thousandths;
    const correct = async (difference: number) => {
      if (!isEntered || difference === 0) return;
      // Where it cannot be told, the estimate stands: that is no more than a minute.
      await this.connection.runScript(correctScript, key, second, difference).catch(() => {});
    };
    return { ...describeWindow(seconds, { nowMs, isEntered, tokens, limit }), correct };
  }

  async close(): Promise<void> {
    // Its connection is everybody's.
  }
}

function toSeconds(found: unknown): TokenSecond[] {
  const texts = readTexts(found);
  const numbers = readList(texts, 2 * Math.ceil(texts.length / 2)).map(Number);
  const { MAX_SAFE_INTEGER: max } = Number;
  readNumbers(
    numbers,
    numbers.map((_, index) => (index % 2 === 0 ? [0, max] : [-max, max])),
  );
  return Array.from({ length: numbers.length / 2 }, (_, index) => [
    numbers[index * 2] as number,
    numbers[index * 2 + 1] as number,
  ]);
}

/** A shared log, and another one for the time that it is away, as for requests. */
export class FallbackTokenLog implements TokenLog {
  constructor(
    private readonly shared: TokenLog,
    private readonly fallback: TokenLog,
    private readonly watch: SharedStoreWatch,
  ) {}

  enter(tokens: TokensToEnter): Promise<TokenEntry> {
    return this.watch.ask(
      () => this.shared.enter(tokens),
      () => this.fallback.enter(tokens),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.shared.close(), this.fallback.close()]);
  }
}
