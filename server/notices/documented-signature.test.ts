import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot } from '../test/architecture/source-tree.js';
import { makeTestFolder } from '../test/test-folder.js';
import { signWebhook } from './signed-webhook.js';

const page = readFileSync(join(findRepositoryRoot(import.meta.dirname), 'docs/graphql.md'), 'utf8');

/** The example in this language, which checks a signature. */
function findExample(language: string): string {
  const [, code] = new RegExp(`\`\`\`${language}\\n((?:(?!\`\`\`)[^])*tollgate-signature[^]*?)\`\`\``).exec(page) ?? [];
  if (code === undefined) throw new Error(`docs/graphql.md has no example of ${language}.`);
  return code;
}

/** How each is run on what the words of its command say: the body, the header, the secret. */
const languages = [
  ['js', process.execPath, 'check.mjs', '\nconsole.log(isFromTollgate(...process.argv.slice(2)) ? "yes" : "no");\n'],
  [
    'python',
    'python3',
    'check.py',
    '\nimport sys\nprint("yes" if is_from_tollgate(sys.argv[1].encode(), *sys.argv[2:]) else "no")\n',
  ],
] as const;

// CI has all of them; `scripts/test-programs.mjs` tells what a machine lacks.
const isThere = (program: string) => process.env.CI === 'true' || spawnSync(program, ['--version']).status === 0;

describe('the check of a webhook’s signature as docs/graphql.md has it', () => {
  const folder = makeTestFolder('documented-signature');

  it.each(languages.filter(([, program]) => isThere(program)))(
    'in %s takes what we sign, and nothing that was changed, signed by another or is old',
    (language, program, name, call) => {
      const file = join(folder, name);
      writeFileSync(file, findExample(language) + call);
      const check = (body: string, header: string) =>
        spawnSync(program, [file, body, header, 'tgwh_secret'], { encoding: 'utf8', env: { ...process.env } });
      const body = '{"type":"balance.low","name":"grüße"}';
      const nowMs = Date.now();
      const signed = signWebhook(body, 'tgwh_secret', nowMs);
      const told = [
        check(body, signed),
        check(`${body} `, signed),
        check(body, signWebhook(body, 'tgwh_other', nowMs)),
        check(body, signWebhook(body, 'tgwh_secret', nowMs - 3_600_000)),
        check(body, ''),
      ];
      expect(told.map(({ stdout, stderr }) => stdout.trim() + stderr)).toEqual(['yes', 'no', 'no', 'no', 'no']);
    },
    60_000,
  );
});
