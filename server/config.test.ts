import { loadConfig } from './config.js';

const mysql = 'mysql://tollgate:secret@127.0.0.1:3306/tollgate';

describe('WORKERS', () => {
  const load = (settings: Record<string, string>) => loadConfig({ DATABASE_URL: mysql, ...settings });

  it('is one process unless asked otherwise, which counts requests by itself', () => {
    expect(loadConfig({})).toMatchObject({ workers: 1, rateLimitStore: 'memory' });
    expect(load({ WORKERS: '1', RATE_LIMIT_STORE: 'memory' })).toMatchObject({ workers: 1, rateLimitStore: 'memory' });
  });

  it.each([
    [{}, 'mysql'],
    [{ REDIS_URL: 'redis://127.0.0.1' }, 'redis'],
    [{ REDIS_URL: 'redis://127.0.0.1', RATE_LIMIT_STORE: 'mysql' }, 'mysql'],
  ])('lets several processes count requests together: %j in %s', (settings, rateLimitStore) => {
    expect(load({ WORKERS: '64', ...settings })).toMatchObject({ workers: 64, rateLimitStore });
  });

  it.each([
    [{ WORKERS: '0' }, /WORKERS: /],
    [{ WORKERS: '65' }, /WORKERS: /],
    [{ WORKERS: '1.5' }, /WORKERS: /],
    [
      { WORKERS: '2', DATABASE_URL: 'sqlite:data/tollgate.db' },
      /1 fault.*WORKERS above 1 needs MySQL: set DATABASE_URL=mysql:/s,
    ],
    [{ WORKERS: '2', RATE_LIMIT_STORE: 'memory' }, /RATE_LIMIT_STORE must be mysql or redis where WORKERS/],
    [{ WORKERS: '2', RATE_LIMIT_STORE: 'redis' }, /RATE_LIMIT_STORE=redis needs REDIS_URL/],
    [{ WORKERS: '2', REQUESTS_PER_MINUTE: '5001' }, /RATE_LIMIT_STORE=mysql counts up to 5000/],
  ])('refuses %j, and says what to do', (settings, remedy) => {
    expect(() => load(settings)).toThrow(remedy);
  });
});
