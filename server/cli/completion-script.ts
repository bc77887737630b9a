import type { OperatorCommand } from './operator-program.js';

export const shells = ['bash', 'zsh'] as const;
export type Shell = (typeof shells)[number];

type Commands = Readonly<Record<string, Pick<OperatorCommand, 'options' | 'flags'>>>;

/**
 * What a shell reads to complete the words of these commands behind the name `tollgate`: the first word, the second, then options.
 * Behind an option that takes a value, and where nothing fits, it offers files.
 */
export function writeCompletion(shell: Shell, commands: Commands): string {
  const values = unique(Object.values(commands).flatMap(({ options = [] }) => options)).map((name) => `--${name}`);
  const cases = listCases(commands);
  return shell === 'bash' ? writeBash(cases, values) : writeZsh(cases, values);
}

/** What was typed so far, and what may come next. */
type Case = readonly [typed: string, next: readonly string[], isBeginning: boolean];

function listCases(commands: Commands): Case[] {
  const names = Object.keys(commands);
  const firsts = unique(names.map((name) => name.split(' ')[0] ?? ''));
  const groups = firsts.filter((first) => names.some((name) => name.startsWith(`${first} `)));
  return [
    ['', firsts, false],
    ...groups.map((group): Case => [group, unique(names.flatMap((name) => secondOf(name, group))), false]),
    ...names.map((name): Case => {
      const { options = [], flags = [] } = commands[name] ?? {};
      return [name, [...options, ...flags].map((option) => `--${option}`), true];
    }),
  ];
}

function secondOf(name: string, group: string): string[] {
  const [first, second] = name.split(' ');
  return first === group && second !== undefined ? [second] : [];
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)].toSorted();
}

// All words are letters, digits and dashes, so nothing needs another quote.
function writeBash(cases: readonly Case[], values: readonly string[]): string {
  const lines = cases.map(([typed, next, isBeginning]) => {
    const pattern = isBeginning ? `"${typed}" | "${typed} "*` : `"${typed}"`;
    return `    ${pattern}) candidates="${next.join(' ')}" ;;`;
  });
  return `_tollgate() {
  local before="\${COMP_WORDS[COMP_CWORD-1]}" current="\${COMP_WORDS[COMP_CWORD]}" candidates=""
  local typed="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  COMPREPLY=()
  case "$before" in ${values.join(' | ')}) return ;; esac
  case "$typed" in
${lines.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _tollgate tollgate
`;
}

function writeZsh(cases: readonly Case[], values: readonly string[]): string {
  const lines = cases.map(([typed, next, isBeginning]) => {
    const pattern = isBeginning ? `"${typed}"|"${typed} "*` : `"${typed}"`;
    return `    (${pattern}) candidates=(${next.join(' ')}) ;;`;
  });
  return `#compdef tollgate
_tollgate() {
  local -a candidates
  local typed="\${(j: :)words[2,CURRENT-1]}"
  case "\${words[CURRENT-1]}" in (${values.join('|')}) _files; return ;; esac
  case "$typed" in
${lines.join('\n')}
  esac
  if (( \${#candidates} )); then compadd -- "\${candidates[@]}"; else _files; fi
}
compdef _tollgate tollgate
`;
}
