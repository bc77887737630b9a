import { isTestCode, type SourceTree, withoutComments } from './source-tree.js';

interface TextRule {
  /** What must not stand in the text. Comments do not count. */
  readonly banned: RegExp;
  readonly appliesTo: (path: string) => boolean;
  readonly reason: string;
}

const entryPoints = new Set([
  'server/main.ts',
  'server/cli/migrate.ts',
  'server/cli/reconcile.ts',
  'server/cli/seed.ts',
  'server/cli/tollgate.ts',
  'server/cli/verify.ts',
]);
const isServerCode = (path: string) => path.startsWith('server/') && !isTestCode(path);

const textRules: readonly TextRule[] = [
  {
    banned: /\bprocess\s*\.\s*env\b/,
    appliesTo: (path) => isServerCode(path) && !entryPoints.has(path),
    reason: 'settings come through loadConfig, which checks them; take what you need as a parameter',
  },
  {
    banned: /\bDate\s*\.\s*now\s*\(|\bnew\s+Date\s*(\(\s*\)|(?!\s*\())/,
    appliesTo: (path) => isServerCode(path) && path !== 'server/kernel/clock.ts',
    reason: 'take a Clock, so that tests can move the time',
  },
  {
    // What a process remembers of itself, beside the wall clock, which may be set meanwhile.
    banned: /\bnowMs\(\)\s*(-|[<>]=?)\s*this\.#|\bthis\.#\w+(\.\w+)?\s*(-|[<>]=?)\s*[\w.#]*\bnowMs\(\)/,
    appliesTo: isServerCode,
    reason: 'measure what passes within a process by elapsedMs of a Clock, which nobody sets back',
  },
  {
    banned: /\bString\(/,
    appliesTo: (path) => isServerCode(path) && /^server\/(?:providers|proxy|wires)\//.test(path),
    reason:
      'read a text of somebody’s JSON by toText of server/kernel/json-body.ts; String calls what the value has in the place of toString',
  },
  {
    banned: /@\w*Column\(\s*(['"]|[^)]*\b(type|length|transformer)\s*:)|@PrimaryGeneratedColumn\b/,
    appliesTo: (path) => path.endsWith('.entity.ts'),
    reason: 'take the column’s type from server/database/columns.ts, which fits both databases',
  },
];

const bannedWords = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'managers']);
const codeFile = /\.(ts|tsx|mjs|cjs)$/;
const linesMax = 300;
const testLinesMax = 500;

/** Every text that a rule bans, each as one sentence. */
export function findTextViolations(tree: SourceTree): string[] {
  return [...tree]
    .filter(([path]) => codeFile.test(path))
    .flatMap(([path, text]) => {
      const code = withoutComments(text);
      return textRules
        .filter(({ appliesTo, banned }) => appliesTo(path) && banned.test(code))
        .map(({ banned, reason }) => `${path} holds \`${banned.exec(code)?.[0].trim()}\`: ${reason}.`);
    });
}

/** Every file whose name says nothing, and every barrel. */
export function findNameViolations(tree: SourceTree): string[] {
  return [...tree.keys()].flatMap((path) => {
    if (!codeFile.test(path)) return [];
    const words = path.split(/[/.-]/);
    const banned = words.find((word) => bannedWords.has(word));
    if (banned !== undefined) return [`${path}: name it by what it does; “${banned}” fits everything.`];
    const isBarrel = /(^|\/)index\.\w+$/.test(path);
    return isBarrel ? [`${path}: import from the file itself; a barrel hides who knows whom.`] : [];
  });
}

/** Every file that is longer than one sitting. */
export function findLengthViolations(tree: SourceTree): string[] {
  return [...tree].flatMap(([path, text]) => {
    const max = /\.test\.tsx?$/.test(path) ? testLinesMax : linesMax;
    const lines = text.replace(/\n$/, '').split('\n').length;
    return codeFile.test(path) && lines > max ? [`${path} has ${lines} lines of at most ${max}: split it.`] : [];
  });
}
