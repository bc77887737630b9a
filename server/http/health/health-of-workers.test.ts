import type { HealthReport } from './health.route.js';
import { joinHealth } from './health-of-workers.js';

const body = {
  status: 'ok',
  database: 'up',
  ledger: { verifiedAt: null, violations: 0 },
  settlements: {
    kept: 1,
    oldestKeptAt: '2026-11-22T10:00:00.000Z',
    quarantined: 0,
    damagedFiles: 0,
    room: 'ready',
    roomMissingFor: null,
  },
} as const;
const well: HealthReport = { isUp: true, body };
const ill: HealthReport = { isUp: false, body: { ...body, status: 'unavailable', database: 'down' } };

describe('the health of several workers', () => {
  it('is that of all: what waits is added up, and the oldest of it told', () => {
    const later = { ...body, settlements: { ...body.settlements, oldestKeptAt: '2026-11-22T11:00:00.000Z', kept: 2 } };
    const joined = joinHealth({ isUp: true, body: later }, { wanted: 2, reports: [well] });
    expect(joined.body).toMatchObject({ status: 'ok', workers: { wanted: 2, answering: 2 } });
    expect(joined.body.settlements).toMatchObject({ kept: 3, oldestKeptAt: '2026-11-22T10:00:00.000Z' });
  });

  it('is that of the worst that answers, since whoever calls meets any of them', () => {
    for (const joined of [
      joinHealth(well, { wanted: 2, reports: [ill] }),
      joinHealth(ill, { wanted: 2, reports: [well] }),
    ]) {
      expect(joined).toMatchObject({ isUp: false, body: { status: 'unavailable', database: 'down' } });
    }
  });

  it('is degraded, and up, while one is missing or silent, or nobody knows', () => {
    expect(joinHealth(well, { wanted: 2, reports: [] })).toMatchObject({
      isUp: true,
      body: { status: 'degraded', workers: { wanted: 2, answering: 1 } },
    });
    expect(joinHealth(well, null)).toMatchObject({
      isUp: true,
      body: { status: 'degraded', workers: { wanted: null, answering: 1 } },
    });
  });
});
