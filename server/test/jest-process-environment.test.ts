import { join } from 'node:path';
import { mock } from 'node:test';
import nodeTimers from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { findRepositoryRoot } from './architecture/source-tree.js';

interface Environment {
  setup(): Promise<void>;
  teardown(): Promise<void>;
}

const script = join(findRepositoryRoot(import.meta.dirname), 'scripts/jest-process-environment.mjs');
const { default: ProcessEnvironment } = (await import(pathToFileURL(script).href)) as {
  default: new (config: { globalConfig: object; projectConfig: { globals: object } }) => Environment;
};

describe('what a suite leaves behind in a process that runs the next one', () => {
  const begin = () => new ProcessEnvironment({ globalConfig: {}, projectConfig: { globals: {} } });

  it('are no settings: what it set is gone, and what it changed or removed is as before', async () => {
    process.env.TOLLGATE_KEPT = 'before';
    const settings = { ...process.env };
    const suite = begin();
    process.env.TOLLGATE_KEPT = 'changed';
    process.env.TOLLGATE_NEW = 'new';
    delete process.env.PATH;
    await suite.teardown();
    expect({ ...process.env }).toEqual(settings);
    delete process.env.TOLLGATE_KEPT;
  });

  it('are no listeners to signals and errors, while those from before stay', async () => {
    const before = () => {};
    process.on('SIGUSR2', before);
    const suite = begin();
    process.on('SIGUSR2', () => {});
    process.once('SIGHUP', () => {});
    const cleanUp = () => {};
    process.on('exit', cleanUp);
    await suite.teardown();
    expect(process.listeners('SIGUSR2')).toEqual([before]);
    expect(process.listenerCount('SIGHUP')).toBe(0);
    // Modules that outlive the suite clean up by theirs.
    expect(process.listeners('exit')).toContain(cleanUp);
    process.off('SIGUSR2', before).off('exit', cleanUp);
  });

  it('is no working folder, and no other way to exit', async () => {
    const [folder, exit] = [process.cwd(), process.exit];
    const suite = begin();
    process.chdir('/');
    process.exit = () => {
      throw new Error('not this one');
    };
    await suite.teardown();
    expect([process.cwd(), process.exit]).toEqual([folder, exit]);
  });
});

it('errors of a suite have stacks of twenty lines, not of Jest’s hundred', async () => {
  Error.stackTraceLimit = 100;
  await new ProcessEnvironment({ globalConfig: {}, projectConfig: { globals: {} } }).setup();
  expect(Error.stackTraceLimit).toBe(20);
});

describe('a suite that mocks timers', () => {
  afterEach(() => mock.timers.reset());

  it.each([
    ['the global name', globalThis],
    ['node:timers', nodeTimers],
  ])('lets those be cleared that were set before, as others in its process do, by %s', async (_, holder) => {
    let hasFired = false;
    const real = setTimeout(() => {
      hasFired = true;
    }, 10);
    mock.timers.enable({ apis: ['setTimeout'] });
    holder.clearTimeout(real);
    clearTimeout(setTimeout(() => expect(null).toBe('never called'), 5));
    mock.timers.tick(10);
    mock.timers.reset();
    await sleep(30);
    expect(hasFired).toBe(false);
  });
});
