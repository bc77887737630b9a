import { loadConfig } from './config.js';
import { chooseBodyMemoryBytes, type MemoryLimits, readMemoryLimits } from './memory-limits.js';
import { tellOperatorAtStart } from './unsafe-for-strangers.js';

const megabyte = 1024 * 1024;

function listTold(settings: Readonly<Record<string, string>>, { heapMb, containerMb }: Limits): unknown[] {
  const told: unknown[] = [];
  const limits: MemoryLimits = {
    heapBytes: heapMb * megabyte,
    containerBytes: containerMb === null ? null : containerMb * megabyte,
    machineBytes: 32_768 * megabyte,
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

describe('The memory for bodies that nobody has set', () => {
  const choose = (
    limits: Limits & { readonly machineMb?: number },
    workers = 1,
    bodyMemoryBytes: number | null = null,
  ) =>
    chooseBodyMemoryBytes(
      { bodyMemoryBytes, workers },
      {
        heapBytes: limits.heapMb * megabyte,
        containerBytes: limits.containerMb === null ? null : limits.containerMb * megabyte,
        machineBytes: (limits.machineMb ?? 32_768) * megabyte,
      },
    ) / megabyte;

  it('is 256 MB where there is enough, and follows container, machine, workers and heap where there is less', () => {
    const heapMb = 4_144;
    expect([null, 3_072, 2_048, 1_024, 512, 256].map((containerMb) => choose({ heapMb, containerMb }))).toEqual([
      256, 256, 256, 129, 43, 8,
    ]);
    expect(choose({ heapMb, containerMb: null, machineMb: 1_024 })).toBe(129);
    expect(choose({ heapMb, containerMb: 3_072 }, 4)).toBe(86);
    expect(choose({ heapMb: 259, containerMb: null })).toBe(79);
  });

  it('is what was set wherever something was', () => {
    expect(choose({ heapMb: 259, containerMb: 256 }, 1, 80 * megabyte)).toBe(80);
  });

  it('is told at the start where it is less than usual', () => {
    expect(listTold({}, { heapMb: 259, containerMb: 512 })).toEqual([
      {
        event: 'body_memory_lowered',
        bodyMemoryMb: 43,
        heapMb: 259,
        memoryMb: 512,
        remedy: 'Give it more memory, or run fewer WORKERS, for more and larger bodies at once.',
      },
    ]);
  });
});

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

  it('names no setting that would be refused: BODY_MEMORY_MB is 8 or more', () => {
    expect(listTold({ BODY_MEMORY_MB: '256' }, { heapMb: 107, containerMb: null })).toMatchObject([
      { event: 'heap_small_for_bodies', remedy: 'Set NODE_OPTIONS=--max-old-space-size=356.' },
    ]);
    expect(listTold({ BODY_MEMORY_MB: '8' }, { heapMb: 259, containerMb: 250 })).toMatchObject([
      { event: 'container_small_for_bodies', remedy: 'Give the container 258 MB or more.' },
    ]);
  });

  it('is told where the container is too small for all workers together', () => {
    const mysql = { DATABASE_URL: 'mysql://u:p@localhost/d', RATE_LIMIT_STORE: 'mysql' };
    const workers = { WORKERS: '4', BODY_MEMORY_MB: '256', ...mysql };
    expect(listTold(workers, { heapMb: 4_144, containerMb: 2_000 })).toEqual([
      {
        event: 'container_small_for_bodies',
        containerMb: 2_000,
        neededMb: 2_024,
        remedy: 'Give the container 2024 MB or more, or lower BODY_MEMORY_MB or WORKERS.',
      },
    ]);
    expect(listTold({ BODY_MEMORY_MB: '256' }, { heapMb: 4_144, containerMb: 505 })).toMatchObject([
      { event: 'container_small_for_bodies', remedy: 'Give the container 506 MB or more, or lower BODY_MEMORY_MB.' },
    ]);
  });

  it.each([
    [{ BODY_MEMORY_MB: '256' }, { heapMb: 356, containerMb: 506 }],
    [{ BODY_MEMORY_MB: '80' }, { heapMb: 180, containerMb: 330 }],
    [{}, { heapMb: 4_144, containerMb: 1_786 }],
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
