import { loadConfig } from './config.js';
import { type MemoryLimits, readMemoryLimits } from './memory-limits.js';
import { tellOperatorAtStart } from './unsafe-for-strangers.js';

const megabyte = 1024 * 1024;

function listTold(settings: Readonly<Record<string, string>>, { heapMb, containerMb }: Limits): unknown[] {
  const told: unknown[] = [];
  const limits: MemoryLimits = {
    heapBytes: heapMb * megabyte,
    containerBytes: containerMb === null ? null : containerMb * megabyte,
  };
  const logger = { warn: (event: string, facts?: object) => void told.push({ event, ...facts }) };
  // What lies in the working folder of whoever runs this is told of, too.
  const places = { DATABASE_URL: 'sqlite:/missing/tollgate.db', SPOOL_DIR: '/missing/spool' };
  tellOperatorAtStart(
    loadConfig({ HOST: 'localhost', ...places, ...settings }, () => null),
    logger,
    limits,
  );
  return told;
}

interface Limits {
  readonly heapMb: number;
  readonly containerMb: number | null;
}

describe('Memory that is less than the settings allow to be used', () => {
  it('is told once at the start where the heap is too small for bodies, with both remedies', () => {
    expect(listTold({ BODY_MEMORY_MB: '512' }, { heapMb: 560, containerMb: null })).toEqual([
      {
        event: 'heap_small_for_bodies',
        heapMb: 560,
        neededMb: 612,
        remedy: 'Set NODE_OPTIONS=--max-old-space-size=612, or BODY_MEMORY_MB to 460 or less.',
      },
    ]);
  });

  it('names no setting that would be refused: BODY_MEMORY_MB is 80 or more', () => {
    expect(listTold({}, { heapMb: 179, containerMb: null })).toMatchObject([
      { event: 'heap_small_for_bodies', remedy: 'Set NODE_OPTIONS=--max-old-space-size=356.' },
    ]);
  });

  it('is told where the container is too small for all workers together', () => {
    const workers = { WORKERS: '4', DATABASE_URL: 'mysql://u:p@localhost/d', RATE_LIMIT_STORE: 'mysql' };
    expect(listTold(workers, { heapMb: 4_144, containerMb: 2_048 })).toEqual([
      {
        event: 'container_small_for_bodies',
        containerMb: 2_048,
        neededMb: 2_224,
        remedy: 'Give the container 2224 MB or more, or lower BODY_MEMORY_MB or WORKERS.',
      },
    ]);
    expect(listTold({}, { heapMb: 4_144, containerMb: 555 })).toMatchObject([
      { event: 'container_small_for_bodies', remedy: 'Give the container 556 MB or more, or lower BODY_MEMORY_MB.' },
    ]);
  });

  it.each([
    [{}, { heapMb: 356, containerMb: 556 }],
    [{ BODY_MEMORY_MB: '80' }, { heapMb: 180, containerMb: 380 }],
    [{}, { heapMb: 4_144, containerMb: null }],
  ] as [Record<string, string>, Limits][])('is not told where there is enough: %j, %j', (settings, limits) => {
    expect(listTold(settings, limits)).toEqual([]);
  });

  it('is looked for in this very process: its heap, and its container where there is one', () => {
    const { heapBytes, containerBytes } = readMemoryLimits();
    expect(heapBytes).toBeGreaterThan(50 * megabyte);
    if (containerBytes !== null) expect(containerBytes).toBeGreaterThan(50 * megabyte);
  });
});
