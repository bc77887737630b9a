import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../test/run-program.js';
import { makeTestFolder } from '../test/test-folder.js';

const nowhere = { kind: 'sqlite', file: join(tmpdir(), 'no-such-folder', 'tollgate.db') } as const;

describe('npm run tollgate -- completion', () => {
  const folder = makeTestFolder('completion');
  let usage: string;
  let zsh: string;
  const scriptFile = () => join(folder, 'tollgate.bash');

  beforeAll(async () => {
    const help = await runProgram('tollgate.js', nowhere, { words: ['--help'] });
    expect(help.exitCode).toBe(0);
    usage = help.output;
    const bash = await runProgram('tollgate.js', nowhere, { words: ['completion', 'bash'] });
    expect([bash.exitCode, bash.log]).toEqual([0, '']);
    writeFileSync(scriptFile(), bash.output);
    zsh = (await runProgram('tollgate.js', nowhere, { words: ['completion', 'zsh'] })).output;
  }, 60_000);

  /** What bash offers for each of these lines, of which the last word is being typed. */
  const completeAll = (lines: readonly string[]): string[][] => {
    const asked = lines.map((line) => {
      const words = line.split(' ').map((word) => `'${word}'`);
      return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _tollgate; echo "\${COMPREPLY[*]}"`;
    });
    const script = `source '${scriptFile()}'\n${asked.join('\n')}\n`;
    const answers = execFileSync('bash', ['--norc', '--noprofile', '-c', script], { encoding: 'utf8' });
    return answers.split('\n').map((answer) => answer.split(' ').filter(Boolean));
  };
  const complete = (line: string) => completeAll([line])[0];
  /** Each command of the help, with the options that its lines name. */
  const readHelp = () => {
    const help = new Map<string, string[]>();
    for (const line of usage.split('\n').filter((text) => /^ {2}[a-z]/.test(text))) {
      const words = line.trim().split(/ {2,}/)[0] ?? '';
      const name = /^[a-z-]+(?: [a-z-]+(?= |$))?/.exec(words)?.[0] ?? '';
      const options = [...words.matchAll(/--[a-z-]+/g)].map(([option]) => option);
      help.set(name, [...new Set([...(help.get(name) ?? []), ...options])].toSorted());
    }
    return [...help].map(([name, options]) => ({ name, options }));
  };

  it('offers every command and option of the help, and none that does not stand there', () => {
    const help = readHelp();
    const firsts = [...new Set(help.map(({ name }) => String(name.split(' ')[0])))];
    expect(complete('tollgate ')).toEqual(firsts.toSorted());
    const groups = firsts.filter((first) => help.some(({ name }) => name.startsWith(`${first} `)));
    const offered = completeAll(groups.map((group) => `tollgate ${group} `));
    groups.forEach((group, at) => {
      const seconds = help.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));
      expect([group, offered[at]]).toEqual([group, seconds.toSorted()]);
    });
    const options = completeAll(help.map(({ name }) => `tollgate ${name} x --`));
    help.forEach(({ name, options: told }, at) => {
      expect([name, options[at]?.toSorted()]).toEqual([name, told]);
      for (const option of told)
        expect([name, zsh.split(`"${name}"|`)[1]?.split('\n')[0]]).toEqual([name, expect.stringContaining(option)]);
    });
  });

  it('goes on with what was begun, and leaves values to whoever types', () => {
    expect(complete('tollgate acc')).toEqual(['account']);
    expect(complete('tollgate account gr')).toEqual(['grant']);
    expect(complete('tollgate account grant acct_1 --cr')).toEqual(['--credits']);
    expect(complete('tollgate account grant acct_1 --reason ')).toEqual([]);
    expect(complete('tollgate nonsense ')).toEqual([]);
    expect(zsh).toMatch(/^#compdef tollgate\n/);
  });
});
