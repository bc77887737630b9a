import { MemoryTokenLog, type TokenLog } from './token-log.js';
import { TokenRateLimit } from './token-rate-limit.js';

describe('Tokens of a call', () => {
  it('are given back to the minute of its key where those of its account cannot be counted', async () => {
    const memory = new MemoryTokenLog();
    let isAway = true;
    const log: TokenLog = {
      enter: async (tokens) => {
        if (isAway && tokens.ownerId === 'acct_1') throw new Error('The row is locked.');
        return memory.enter(tokens);
      },
      close: () => memory.close(),
    };
    const limit = new TokenRateLimit(log, { account: 1_000, key: 1_000 });
    const owner = { accountId: 'acct_1', keyId: 'key_1', ownRate: null, accountRate: null };
    for (let call = 0; call < 3; call += 1) await expect(limit.take(owner, 900)).rejects.toThrow('The row is locked.');
    isAway = false;
    expect((await limit.take(owner, 900)).headers).toMatchObject({ 'x-ratelimit-remaining-tokens': '100' });
    await log.close();
  });
});
