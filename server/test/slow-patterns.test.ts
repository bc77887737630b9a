import { findRepositoryRoot, isTestCode, readSourceTree, withoutComments } from './architecture/source-tree.js';

/** A pattern as it stands in code. */
const literal = /(?<=[(=,:?\s])\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/g;

/** Whether it looks for a run at the end of a text, from each place of the text: one of n equal letters takes n² / 2 steps. */
function isTriedFromEachPlace(pattern: string): boolean {
  let flat = pattern
    .replace(/^\/|\/[a-z]*$/g, '')
    .replaceAll(/\\./g, 'e')
    .replaceAll(/\[[^\]]*\]/g, 'c');
  while (/\([^()]*\)/.test(flat)) flat = flat.replaceAll(/\([^()]*\)/g, 'g');
  return flat.split('|').some((alternative) => !alternative.startsWith('^') && /[+*]\$$/.test(alternative));
}

const ofOperator = 'an address of the operator’s';
const takesAll = 'takes all that follows, so that its first place is its last';
/** Why the text is short, or written by nobody else. */
const known: Readonly<Record<string, string>> = {
  'server/accounts/mailbox.ts /\\+.*$/s': takesAll,
  'server/accounts/sign-in/passwords.ts /=+$/': 'of 32 random bytes',
  'server/accounts/sign-up/gift-mailbox.ts /(?<=.)-.*$/s': takesAll,
  'server/catalogue/provider-changes.ts /\\/+$/': ofOperator,
  'server/cli/remote-door.ts /\\/+$/': ofOperator,
  'server/cli/take-back-migration.ts /\\d+$/': 'the name of a migration',
  'server/config/config.ts /\\/+$/': ofOperator,
  'server/config/tracing-settings.ts /\\/+$/': ofOperator,
  'server/graphql/graphql-error.ts / found (Block)?String "[\\s\\S]*$/': takesAll,
  'server/graphql/graphql-error.ts / value: [\\s\\S]*$/': takesAll,
  'server/kernel/millicredits.ts /0+$/': 'decimals of an amount',
  'server/providers/gemini/gemini-finish-reason.ts /[A-Z_]*$/': 'of 64 characters at most',
  'server/providers/quote-safely.ts /^[.:#$~+*=-]+|[.:?%+*=-]+$/g': 'of 1,200 characters at most',
  'server/providers/settings/provider-settings.ts /\\/+$/': ofOperator,
  'server/providers/settings/tollgate-file-shape.ts /\\/+$/': ofOperator,
};

describe('A pattern that is tried from each place of a text', () => {
  it('is one of those whose texts are short or our own', () => {
    const found = [...readSourceTree(findRepositoryRoot(import.meta.dirname))].flatMap(([path, text]) => {
      if (!path.startsWith('server/') || isTestCode(path)) return [];
      const patterns = withoutComments(text).match(literal) ?? [];
      return patterns.filter(isTriedFromEachPlace).map((pattern) => `${path} ${pattern}`);
    });
    expect([...new Set(found)].sort()).toEqual(Object.keys(known).sort());
  });

  it.each([
    ['/[A-Z_]*$/', true],
    ['/^a+|b+$/g', true],
    ['/^a+$/', false],
    ['/^(a|b)+$/', false],
    ['/[+*]\\$$/', false],
  ])('is found: %s', (pattern, isOne) => expect(isTriedFromEachPlace(pattern)).toBe(isOne));
});
