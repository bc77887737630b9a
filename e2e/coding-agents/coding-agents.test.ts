import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findRepositoryRoot } from '../../server/test/architecture/source-tree.js';
import { TestApp } from '../../server/test/create-test-app.js';
import { openSqliteDatabase } from '../../server/test/each-database.js';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { stretched } from '../../server/test/wait-factor.js';
import { readStreamedAnswer } from '../../server/test/wire-answers.js';
import { type RecordedExchange, WireRecorder } from '../../server/test/wire-recorder.js';
import { ScriptedProvider, type ScriptedTurn, tokensOfTurn } from '../clients/scripted-provider.js';

const packages = join(findRepositoryRoot(import.meta.dirname), 'e2e/coding-agents/node_modules');
const endsWithinMs = stretched(60_000);

interface Wish {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
}

interface CodingAgent {
  /** Below `packages`; a script of Node. */
  readonly script: string;
  readonly wire: 'responses' | 'messages';
  /** The turn in which the model has it run a command. */
  toTurn(command: string): ScriptedTurn;
  toArguments(wish: Wish): readonly string[];
  toEnvironment(wish: Wish): Readonly<Record<string, string>>;
}

const task = 'Write the names of two cities into cities.txt.';

const codex: CodingAgent = {
  script: '@openai/codex/bin/codex.js',
  wire: 'responses',
  toTurn: (cmd) => ({ calls: { tool: 'exec_command', input: { cmd } } }),
  toArguments: ({ baseUrl, model }) => {
    const provider = `{name="tollgate",base_url="${baseUrl}/v1",env_key="TOLLGATE_API_KEY",wire_api="responses"}`;
    const settings = ['model_provider="tollgate"', `model_providers.tollgate=${provider}`, 'analytics.enabled=false'];
    const options = ['--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--model', model];
    return ['exec', ...options, ...settings.flatMap((setting) => ['--config', setting]), task];
  },
  toEnvironment: ({ apiKey }) => ({ TOLLGATE_API_KEY: apiKey }),
};

const claudeCode: CodingAgent = {
  script: '@anthropic-ai/claude-code/cli-wrapper.cjs',
  wire: 'messages',
  toTurn: (command) => ({ calls: { tool: 'Bash', input: { command, description: 'Writes the name of a city' } } }),
  toArguments: ({ model }) => ['-p', task, '--model', model, '--allowedTools', 'Bash'],
  toEnvironment: ({ baseUrl, apiKey }) => ({
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: apiKey,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  }),
};

describe.each([
  ['Codex CLI', codex],
  ['Claude Code', claudeCode],
] as const)('%s', (_, agent) => {
  it.each([
    ['gpt-5-mini', 1],
    ['claude-opus-5', 2],
  ])(
    'on %s completes a task with two calls of a tool: three turns, none asked twice, each charged exactly',
    async (model, price) => {
      const commands = ['echo Paris > cities.txt', 'echo Oslo >> cities.txt'];
      const turns = [...commands.map((command) => agent.toTurn(command)), { says: 'Both cities are written.' }];
      const provider = await ScriptedProvider.start(turns);
      const app = await TestApp.start(await openSqliteDatabase(), provider.settings);
      const recorder = await WireRecorder.start(app.baseUrl);
      const folder = makeTestFolder('coding');
      try {
        const { accountId, secret } = await app.createAccount(50);
        const before = await app.findWallet(accountId);
        const { output, exitCode } = await run(agent, folder, { baseUrl: recorder.baseUrl, apiKey: secret, model });
        expect({ exitCode, output }).toEqual({
          exitCode: 0,
          output: expect.stringContaining('Both cities are written.'),
        });
        expect(readFileSync(join(folder, 'work/cities.txt'), 'utf8')).toBe('Paris\nOslo\n');

        const calls = (await recorder.exchangesOf(secret)).filter(({ method }) => method === 'POST');
        expect(calls.map(describeCall)).toEqual(turns.map(() => `200 ${agent.wire}`));
        for (const { text: answer } of calls) expect(readStreamedAnswer(agent.wire, answer).end).not.toBeNull();
        expect(provider.requests).toHaveLength(turns.length);
        await app.waitUntilSettled(accountId);
        const charged = before.posted - (await app.findWallet(accountId)).posted;
        expect(charged).toBe(turns.length * tokensOfTurn * price);
      } finally {
        rmSync(folder, { recursive: true, force: true });
        await recorder.close();
        await app.close();
        await provider.close();
      }
    },
    2 * endsWithinMs,
  );
});

const describeCall = ({ status, path }: RecordedExchange) => `${status} ${/\/v1\/(\w+)/.exec(path)?.[1]}`;

/** Runs the program until it ends, in a home of its own and with nothing of this machine's settings. */
async function run(
  agent: CodingAgent,
  folder: string,
  wish: Wish,
): Promise<{ output: string; exitCode: number | null }> {
  const script = join(packages, agent.script);
  if (!existsSync(script))
    throw new Error('The agents are not installed: npm ci --ignore-scripts --prefix e2e/coding-agents');
  const [home, work] = [join(folder, 'home'), join(folder, 'work')];
  for (const made of [home, work]) mkdirSync(made);
  const child = spawn(process.execPath, [script, ...agent.toArguments(wish)], {
    cwd: work,
    env: { PATH: process.env.PATH, HOME: home, ...agent.toEnvironment(wish) },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: endsWithinMs,
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const [output, log, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { output: exitCode === 0 ? output : output + log, exitCode };
}
