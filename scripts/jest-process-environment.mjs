import { spareRealTimers } from './jest-mock-timers.mjs';
import { TimeLimits } from './jest-time-limits.mjs';

// Once in a process, whose module this is.
spareRealTimers();

/**
 * Jest keeps a hundred for each error. Drivers make errors by the thousand for their stacks alone, and each line is looked up in a map:
 * a twentieth of the time of suites about purchases.
 */
const stackLinesMax = 20;

/**
 * The process itself as what a suite runs in, for `jest-process-runtime.mjs`: no virtual machine around it. Settings that a
 * suite leaves in `process.env`, its listeners to the process and its working folder are gone before the next suite begins.
 * `hasTestFailed` tells hooks after a test whether it has failed. Jest's own mocks and fake timers are not here; `node:test` has
 * both.
 */
export default class ProcessEnvironment {
  global = globalThis;
  fakeTimers = null;
  fakeTimersModern = null;
  moduleMocker = null;
  #limits = new TimeLimits();
  /** @type {number} */
  #timeoutMs;
  #settings = { ...process.env };
  #folder = process.cwd();
  #exit = process.exit;
  #console = globalThis.console;
  #listeners = listListeners();
  #symbols = Object.getOwnPropertySymbols(globalThis);

  /** @param {import('@jest/environment').JestEnvironmentConfig} config */
  constructor({ globalConfig, projectConfig }) {
    this.#timeoutMs = globalConfig.testTimeout ?? 5_000;
    Object.assign(globalThis, projectConfig.globals);
  }

  async setup() {
    Error.stackTraceLimit = stackLinesMax;
  }

  async teardown() {
    for (const name of Object.keys(process.env)) if (!(name in this.#settings)) delete process.env[name];
    Object.assign(process.env, this.#settings);
    process.chdir(this.#folder);
    // Jest puts another around it for each suite.
    process.exit = this.#exit;
    // Jest's own for the suite refuses what is said after it, such as by Jest itself when it runs in this process.
    globalThis.console = this.#console;
    for (const { name, listener } of listListeners()) {
      if (!this.#listeners.some((kept) => kept.name === name && kept.listener === listener)) {
        process.off(name, listener);
      }
    }
    // All that the suite has defined hangs on these, and would be kept as long as the process lives.
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (symbol.description === 'JEST_STATE_SYMBOL' && !this.#symbols.includes(symbol))
        Reflect.deleteProperty(globalThis, symbol);
    }
  }

  /** @param {import('@jest/types').Circus.Event} event */
  handleTestEvent(event) {
    this.#limits.take(event);
    if (event.name === 'test_start') Reflect.set(globalThis, 'hasTestFailed', false);
    if (event.name === 'test_fn_start') this.#tellLimit(event.test.timeout);
    if (event.name === 'hook_start') this.#tellLimit(event.hook.timeout);
    if (event.name === 'test_fn_failure') Reflect.set(globalThis, 'hasTestFailed', true);
  }

  /** For `server/test/eventually.ts`. @param {number | null | undefined} timeoutMs what it names for itself */
  #tellLimit(timeoutMs) {
    Reflect.set(globalThis, 'limitEndsAtMs', performance.now() + (timeoutMs || this.#timeoutMs));
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
}

/** Without those of `exit`: shared modules end what they have started by one that they set up once. */
function listListeners() {
  const names = process.eventNames().filter((name) => name !== 'exit');
  return names.flatMap((name) =>
    process.listeners(/** @type {NodeJS.Signals} */ (name)).map((listener) => ({ name, listener })),
  );
}
