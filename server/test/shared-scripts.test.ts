import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Context, createContext } from 'node:vm';
import { findRepositoryRoot } from './architecture/source-tree.js';
import { makeTestFolder } from './test-folder.js';

interface SharedScripts {
  read(file: string): string;
  compile(
    code: { source: string; file: string; parameters: readonly string[] },
    machine: Context,
  ): ((...given: unknown[]) => unknown) | null;
}

const script = join(findRepositoryRoot(import.meta.dirname), 'scripts/shared-scripts.mjs');
const { SharedScripts } = (await import(pathToFileURL(script).href)) as { SharedScripts: new () => SharedScripts };

describe('what suites of one process have compiled once', () => {
  const file = '/packages/counter.js';
  const codeOf = (source: string) => ({ source, file, parameters: ['module', 'place'] });

  it('runs anew in each suite, with the state and the globals of that suite alone', () => {
    const scripts = new SharedScripts();
    const counter = codeOf("'use strict';\nlet count = 0;\nmodule.next = () => place + name + ++count;");
    const [one, other] = ['one', 'other'].map((name) => {
      const module: { next?: () => string } = {};
      scripts.compile(counter, createContext({ name }))?.(module, 'in ');
      return module;
    });
    expect([one?.next?.(), one?.next?.(), other?.next?.()]).toEqual(['in one1', 'in one2', 'in other1']);
  });

  it('names the line and the column of an error as they stand in the file', () => {
    const run = new SharedScripts().compile(codeOf('throw new Error("first");'), createContext({ Error }));
    expect(() => run?.()).toThrow(expect.objectContaining({ stack: expect.stringContaining(`${file}:1:7`) }));
    const second = new SharedScripts().compile(codeOf('\n  throw new Error("second");'), createContext({ Error }));
    expect(() => second?.()).toThrow(expect.objectContaining({ stack: expect.stringContaining(`${file}:2:9`) }));
  });

  it('is compiled again once a file holds something else', () => {
    const scripts = new SharedScripts();
    const machine = createContext({});
    expect(scripts.compile(codeOf('return 1;'), machine)?.()).toBe(1);
    expect(scripts.compile(codeOf('return 2;'), machine)?.()).toBe(2);
  });

  it('leaves to Jest what imports while it runs', () => {
    const scripts = new SharedScripts();
    for (const source of ["import('node:fs')", "import ('node:fs')", 'import.meta.url'])
      expect(scripts.compile(codeOf(source), createContext({}))).toBeNull();
  });

  it('is read once', () => {
    const read = join(makeTestFolder('scripts'), 'read.js');
    const scripts = new SharedScripts();
    writeFileSync(read, 'first');
    scripts.read(read);
    writeFileSync(read, 'second');
    expect(scripts.read(read)).toBe('first');
  });
});
