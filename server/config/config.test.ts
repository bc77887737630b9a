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

describe('DATABASE_READ_URL', () => {
  const replica = 'mysql://reader:canary-secret@127.0.0.1:3307/tollgate';

  it('names a replica of MySQL, which may be ten seconds behind unless it is said otherwise', () => {
    expect(loadConfig({ DATABASE_URL: mysql }).readReplica).toBeNull();
    const { readReplica } = loadConfig({ DATABASE_URL: mysql, DATABASE_READ_URL: replica });
    expect(readReplica).toMatchObject({ address: { kind: 'mysql' }, lagMsMax: 10_000 });
    const own = { DATABASE_URL: mysql, DATABASE_READ_URL: replica, DATABASE_READ_LAG_SECONDS: '3' };
    expect(loadConfig(own).readReplica).toMatchObject({ lagMsMax: 3_000 });
  });

  it.each([
    [{ DATABASE_READ_URL: replica }, /1 fault.*DATABASE_READ_URL needs a DATABASE_URL of MySQL, whose replica it is/s],
    [
      { DATABASE_URL: mysql, DATABASE_READ_URL: 'sqlite:data/copy.db' },
      /1 fault.*DATABASE_READ_URL must be mysql:.*SQLite has no replicas/s,
    ],
    [
      { DATABASE_URL: mysql, DATABASE_READ_URL: 'mysql://u:p@db:0/t?ssl-mode=ON' },
      /2 fault.*DATABASE_READ_URL "db:0" is no host.*DATABASE_READ_URL has the ssl-mode/s,
    ],
    [{ DATABASE_URL: 'mysql://db', DATABASE_READ_URL: replica }, /1 fault.*DATABASE_URL must be mysql/s],
    [
      { DATABASE_URL: mysql, DATABASE_READ_URL: replica, DATABASE_READ_LAG_SECONDS: '2' },
      /1 fault.*DATABASE_READ_LAG_SECONDS: must be a whole number from 3/s,
    ],
  ])('is refused as %j, with the remedy', (settings, remedy) => {
    const load = () => loadConfig(settings);
    expect(load).toThrow(remedy);
    expect(load).not.toThrow(/canary-secret/);
  });
});
