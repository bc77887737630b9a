import { mock } from 'node:test';
import type { DataSource } from 'typeorm';

/** Adds the text of each statement that is made by `source` to what it returns, until `mock.restoreAll()`. */
export async function recordStatements(source: DataSource): Promise<string[]> {
  const statements: string[] = [];
  const runner = source.createQueryRunner();
  const prototype = Object.getPrototypeOf(runner) as { query: (sql: string) => Promise<unknown> };
  await runner.release();
  const { query } = prototype;
  // All sources of a process share it, also those of suites before that have not ended everything.
  mock.method(prototype, 'query', function (this: typeof runner, ...words: [string]) {
    if (this.connection === source) statements.push(words[0]);
    return query.apply(this, words);
  });
  return statements;
}
