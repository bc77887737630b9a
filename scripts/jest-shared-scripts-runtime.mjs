import { sep } from 'node:path';
import jestRuntime from 'jest-runtime';
import { SharedScripts } from './shared-scripts.mjs';

// Its types describe a CommonJS module, and what is imported is the class itself.
const Runtime = /** @type {typeof jestRuntime.default} */ (/** @type {unknown} */ (jestRuntime));

/**
 * The parts of Jest's runtime 30 that read and compile a file; its types hide them.
 * @typedef {object} Parts
 * @property {{ compile: (source: string, file: string) => Function | null, injectedModuleParameters: readonly string[] }} executor
 * @property {{ transform: (file: string, options: object) => string }} transformCache
 */

const scripts = new SharedScripts();
const packages = `${sep}node_modules${sep}`;

/** Jest's own runtime, which has the suites of one process share what they have read and compiled, and nothing else. */
export default class SharedScriptsRuntime extends Runtime {
  /** @param {ConstructorParameters<typeof Runtime>} given */
  constructor(...given) {
    super(...given);
    const [, environment] = given;
    const { executor, transformCache } = /** @type {Parts} */ (/** @type {unknown} */ (this));
    const transform = transformCache.transform.bind(transformCache);
    const compile = executor.compile.bind(executor);
    transformCache.transform = (file, options) => (isOfPackage(file) ? scripts.read(file) : transform(file, options));
    executor.compile = (source, file) => {
      const machine = environment.getVmContext();
      // What our own files hold is transformed, and Jest knows best how to say what is wrong with it.
      if (machine === null || !isOfPackage(file)) return compile(source, file);
      const code = { source, file, parameters: executor.injectedModuleParameters };
      return scripts.compile(code, machine) ?? compile(source, file);
    };
  }
}

/** As it ships, which nothing transforms. @param {string} file */
function isOfPackage(file) {
  return file.includes(packages) && /\.c?js$/.test(file);
}
