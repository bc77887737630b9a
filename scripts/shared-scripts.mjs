import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';

/**
 * Reads and compiles what many suites of one process load, once for all of them: a suite of the dashboard loads a thousand files of
 * packages. Each suite still runs them anew in a virtual machine of its own, so it finds no state of another one.
 */
export class SharedScripts {
  /** Of each file: what stands in it. @type {Map<string, string>} */
  #sources = new Map();
  /** @type {Map<string, { source: string, words: string, script: Script }>} */
  #scripts = new Map();

  /** A file that nobody writes while this process lives. @param {string} file */
  read(file) {
    const known = this.#sources.get(file);
    if (known !== undefined) return known;
    const source = readFileSync(file, 'utf8');
    this.#sources.set(file, source);
    return source;
  }

  /**
   * The body of a function of these parameters, in this virtual machine; errors name its lines and columns as they stand in the file.
   * @param {{ source: string, file: string, parameters: readonly string[] }} code
   * @param {import('node:vm').Context} machine
   * @returns {Function | null} null for one that imports while it runs, since that is answered by the machine that compiled it
   * @throws SyntaxError
   */
  compile({ source, file, parameters }, machine) {
    if (/\bimport\b\s*[(.]/.test(source)) return null;
    const words = parameters.join(',');
    const known = this.#scripts.get(file);
    if (known !== undefined && known.source === source && known.words === words)
      return known.script.runInContext(machine);
    const opening = `(function (${words}) {`;
    const script = new Script(`${opening}${source}\n})`, { filename: file, columnOffset: -opening.length });
    this.#scripts.set(file, { source, words, script });
    return script.runInContext(machine);
  }
}
