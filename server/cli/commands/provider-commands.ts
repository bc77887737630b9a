import { readFileSync } from 'node:fs';
import { Secret } from '../../kernel/secret.js';
import { type CallTimes, callTimesBy, callTimesLast } from '../../usage/reports/call-times.js';
import type { OperatorServices, WithServices } from '../open-operator-services.js';
import { asWords, need, type OperatorCommand, type ProgramOptions, UsageError } from '../operator-program.js';

export const providerUsage = `  provider list [--json]     where each provider is set, its keys masked, and the models that it answers
  provider set <provider> --reason "…" [--on | --off] [--rank 1] [--address URL] [--adapter openai] [--name "…"]
                             switches or moves a provider, or adds your own; in force on every server within seconds
  provider remove <provider> --reason "…"
                             removes its settings and keys from the database; file and environment stay
  provider add-key <provider> --reason "…" [--weight 1] [--replaces pvk_…]
                             reads the key from standard input and stores it, sealed by SECRETS_KEY
  provider remove-key <key> --reason "…"
  provider test <provider> [--key pvk_…] [--json]
                             asks for one token and prints the answer; status 2 when none came
  provider times [--by provider] [--last hour] [--json]
                             calls, errors, latency and TTFT over all instances; by: provider or model; last: hour or day`;

type Desk = Awaited<ReturnType<OperatorServices['openProviders']>>;
const addressWords = ['reason', 'rank', 'address', 'adapter', 'name'];

/** What an operator sets of providers by hand. Every change is in the operator's log. */
export function listProviderCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  const withDesk = <Result>(work: (desk: Desk) => Promise<Result>) => {
    let result: Result | undefined;
    return withServices(async ({ openProviders }) => {
      result = await asWords(openProviders().then(work), ['not_found', 'invalid_value']);
    }).then(() => result);
  };
  return {
    'provider list': {
      flags: ['json'],
      run: (_, { json }) => withDesk(async (desk) => listProviders(desk, json !== undefined)),
    },
    'provider set': {
      options: addressWords,
      flags: ['on', 'off'],
      subject: 'the provider',
      run: (id, options) => {
        const change = readChange(options);
        const reason = need(options.reason, '--reason');
        return withDesk(async (desk) => {
          const { isOn, isSwitchedOff } = await desk.set(id, change, reason);
          console.log(`${id}: ${isSwitchedOff ? 'switched off' : isOn ? 'answers' : 'has nothing to answer yet'}.`);
        });
      },
    },
    'provider remove': {
      options: ['reason'],
      subject: 'the provider',
      run: (id, { reason }) => {
        const words = need(reason, '--reason');
        return withDesk((desk) => desk.remove(id, words));
      },
    },
    'provider add-key': {
      options: ['reason', 'weight', 'replaces'],
      subject: 'the provider',
      run: (providerId, { reason, weight = '1', replaces }) => {
        const words = need(reason, '--reason');
        const key = { providerId, weight: readWhole('--weight', weight), replaces: replaces ?? null };
        const secret = new Secret(readSecret());
        return withDesk(async (desk) => console.log(await desk.addKey({ ...key, secret }, words)));
      },
    },
    'provider remove-key': {
      options: ['reason'],
      subject: 'the key',
      run: (keyId, { reason }) => {
        const words = need(reason, '--reason');
        return withDesk((desk) => desk.removeKey(keyId, words));
      },
    },
    'provider test': {
      options: ['key'],
      flags: ['json'],
      subject: 'the provider',
      run: (id, { key, json }) => withDesk((desk) => testProvider(desk, { id, key: key ?? null }, json !== undefined)),
    },
    'provider times': {
      options: ['by', 'last'],
      flags: ['json'],
      run: (_, { by = 'provider', last = 'hour', json }) => {
        const wanted = [readWord('--by', by, callTimesBy), readWord('--last', last, callTimesLast)] as const;
        return withServices(async ({ callTimes }) => printTimes(await callTimes.read(...wanted), json !== undefined));
      },
    },
  };
}

function listProviders(desk: Desk, isJson: boolean): void {
  const providers = desk.list();
  if (isJson) console.log(JSON.stringify(providers, null, 2));
  for (const { id, setIn, isOn, isSwitchedOff, rank, keys, models } of isJson ? [] : providers) {
    const standing = isSwitchedOff ? 'switched off' : isOn ? `answers ${models.length} models` : 'no key or address';
    const place = rank === null ? '' : `  place ${rank}`;
    console.log(`${id}  ${setIn.replace('_', '-')}  ${standing}${place}`);
    for (const key of keys) console.log(`  ${key.id ?? '-'}  ${key.masked}  ${key.setIn}  weight ${key.weight}`);
  }
}

async function testProvider(
  desk: Desk,
  { id, key }: { readonly id: string; readonly key: string | null },
  isJson: boolean,
): Promise<number> {
  const trial = await desk.test(id, key);
  if (isJson) console.log(JSON.stringify(trial, null, 2));
  else if (trial.isAnswered) {
    const tokens = `${trial.promptTokens ?? '?'} + ${trial.completionTokens ?? '?'} tokens`;
    console.log(`${id} answered ${trial.model} after ${trial.durationMs} ms: ${tokens}.`);
  } else console.log(`${id} did not answer ${trial.model}, status ${trial.status ?? 'none'}: ${trial.message}`);
  return trial.isAnswered ? 0 : 2;
}

function readChange({ on, off, rank, address, adapter, name }: ProgramOptions) {
  if (on !== undefined && off !== undefined) throw new UsageError('Say --on or --off.');
  const place = rank === undefined ? undefined : readWhole('--rank', rank);
  return {
    ...(on === undefined && off === undefined ? {} : { isOn: on !== undefined }),
    ...(place === undefined ? {} : { rank: place === 0 ? null : place }),
    ...(address === undefined ? {} : { address }),
    ...(adapter === undefined ? {} : { adapter }),
    ...(name === undefined ? {} : { name }),
  };
}

function printTimes(times: CallTimes, isJson: boolean): void {
  if (isJson) console.log(JSON.stringify(times, null, 2));
  for (const row of isJson ? [] : times.groups) {
    const [p50, p95, p99, ttft] = [row.p50Ms, row.p95Ms, row.p99Ms, row.firstByteP50Ms].map((ms) => ms ?? '-');
    const failed = `${row.failedCalls} of ${row.calls} calls failed, ${row.failedAttempts} of ${row.attempts} attempts`;
    console.log(`${row.name}  ${failed}  p50 ${p50} p95 ${p95} p99 ${p99} TTFT ${ttft} ms`);
  }
  if (times.isSample) {
    console.error(
      'Some calls were not looked at: of a day the newest 500 of each hour are, and of an hour the newest 1,000 of each five minutes.',
    );
  }
}

function readWord<Word extends string>(option: string, text: string, words: readonly Word[]): Word {
  const word = words.find((one) => one === text);
  if (word === undefined) throw new UsageError(`${option} is one of ${words.join(', ')}.`);
  return word;
}

function readWhole(option: string, text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new UsageError(`${option} is a whole number such as 1.`);
  return Number(text);
}

// Not as a word of the command: those of a running program are seen by everybody on the machine.
function readSecret(): string {
  if (process.stdin.isTTY)
    throw new UsageError('The key is read from standard input, for example: … provider add-key openai < key.txt');
  return need(readFileSync(0, 'utf8').slice(0, 8_192).trim(), 'the key on standard input');
}
