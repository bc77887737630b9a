import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
/** @type {object} */
const asyncHooks = require('node:async_hooks');
// A value, or from Node 22 on a getter.
const usual = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage'));
/** Those that Jest's part for the suite has made. @type {AsyncLocalStorage<unknown>[]} */
const storagesOfSuite = [];
let suitesLoaded = 0;

/** @extends {AsyncLocalStorage<unknown>} */
class StorageOfSuite extends AsyncLocalStorage {
  constructor() {
    super();
    storagesOfSuite.push(this);
  }
}

/**
 * Jest's `runtime` for suites that run as compiled: it loads them by Node's own loader. Jest's own runtime gives each suite a
 * virtual machine, in which all packages and the whole server are read, compiled and warmed up anew: a third of the time of
 * a run. Here suites that one process runs after one another share what they import, and only the suite's own file is read for
 * each run. What is global has to be put back by the suite, or by `ProcessEnvironment`.
 *
 * It has what `jest-runner` and `jest-circus` 30 call; there are no module mocks and no coverage.
 */
export default class ProcessRuntime {
  /** The part of Jest that holds a suite's tests: once for each suite, since it keeps them. @param {string} path */
  requireInternalModule(path) {
    delete require.cache[path];
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
    // Until Node 24 each storage that was used is asked at every promise that is made: after a hundred suites, a third of the time.
    for (const storage of storagesOfSuite.splice(0)) storage.disable();
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { configurable: true, value: StorageOfSuite });
    try {
      return require(path);
    } finally {
      Object.defineProperty(asyncHooks, 'AsyncLocalStorage', usual);
    }
  }

  /** @param {string} path */
  requireModule(path) {
    return require(path);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** @param {string} path */
  unstable_importModule(path) {
    suitesLoaded += 1;
    return import(`${pathToFileURL(path).href}?suite=${suitesLoaded}`);
  }

  /** Stacks name our sources by Jest's reading of the maps beside the files. */
  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {
    return undefined;
  }

  setGlobalsForRuntime() {}
  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
}
