import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './run-step.mjs';

/*
 * `npm run migration:create -- add-call-note`: writes an empty migration with the next number, and says what is left to
 * do. TypeORM's own command would name the file by the time of day and fill it for one dialect.
 */
const effect = process.argv[2] ?? '';
if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(effect)) {
  console.error('Name the migration by its effect, in lower-case words: npm run migration:create -- add-call-note');
  process.exit(1);
}

const folder = join(projectRoot, 'server', 'database', 'migrations');
const numbers = readdirSync(folder).map((file) => Number.parseInt(file, 10) || 0);
const number = String(Math.max(0, ...numbers) + 1).padStart(4, '0');
// TypeORM runs them in the order of the time in their class's name, so a new one comes after all others and never by the clock.
const times = readdirSync(folder).flatMap((name) =>
  [...readFileSync(join(folder, name), 'utf8').matchAll(/^export class [A-Za-z]+(\d{13}) /gm)].map(([, time]) =>
    Number(time),
  ),
);
const timeMs = Math.max(...times) + 24 * 60 * 60 * 1_000;
const className = `${effect.replace(/(^|-)(.)/g, (_, _dash, letter) => letter.toUpperCase())}${timeMs}`;
const file = join(folder, `${number}-${effect}.ts`);

writeFileSync(
  file,
  `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ${className} implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {}

  async down(queryRunner: QueryRunner): Promise<void> {}
}
`,
  { flag: 'wx' },
);
console.log(
  `Wrote ${file}. Fill in both directions, then add ${className} to the end of the list in server/entities.ts. Each statement is a step that may be interrupted: use createTable, addColumns, dropColumns, dropTable, dropIndex, or the forms that server/database/schema-changes/migration-statement.ts knows.`,
);
