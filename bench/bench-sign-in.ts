import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack } from '../e2e/support/start-stack.js';
import { percentileOf, showNumber, showTable } from './figures.js';

const accounts = 40;
/** SIGN_IN_ROUNDS=200 is quicker. */
const rounds = Number(process.env.SIGN_IN_ROUNDS ?? 1_000);
const warmUpRounds = 40;

/** What is asked about an address that has an account, and about one that has none. */
const questions = {
  'a wrong password': (email: string) =>
    `mutation { signIn(input: { email: "${email}", password: "a wrong password" }) { sessionToken } }`,
  'a new password': (email: string) => `mutation { requestPasswordReset(input: { email: "${email}" }) }`,
};

interface Figures {
  readonly question: string;
  readonly known: readonly number[];
  readonly unknown: readonly number[];
}

/** Whether how long an answer takes tells that an address has an account: both kinds in turns, as a distribution, on SQLite. */
export async function benchSignIn(): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'));
  const settings = { TRUST_PROXY: '1', SIGNUPS_PER_HOUR: '1000000' };
  const stack = await startStack({ kind: 'sqlite', file: join(folder, 'tollgate.db') }, settings);
  try {
    for (let n = 0; n < accounts; n += 1) {
      await ask(
        stack.baseUrl,
        `mutation { signUp(input: { email: "${emailOf('known', n)}", password: "a good password" }) { sessionToken } }`,
      );
    }
    const figures: Figures[] = [];
    for (const [question, toQuery] of Object.entries(questions)) {
      await measure(stack.baseUrl, toQuery, warmUpRounds);
      figures.push({ question, ...(await measure(stack.baseUrl, toQuery, rounds)) });
    }
    return report(figures);
  } finally {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(baseUrl: string, toQuery: (email: string) => string, count: number) {
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let round = 0; round < count; round += 1) {
    // Which kind goes first is drawn, so that neither has the quieter moments.
    const kinds = Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    for (const kind of kinds) {
      const query = toQuery(emailOf(kind, round % accounts));
      const startedMs = performance.now();
      await ask(baseUrl, query);
      times[kind].push(performance.now() - startedMs);
    }
  }
  return { known: times.known.toSorted((a, b) => a - b), unknown: times.unknown.toSorted((a, b) => a - b) };
}

function report(figures: readonly Figures[]): object {
  const shares = [0.1, 0.5, 0.9, 0.99];
  const rows = figures.flatMap(({ question, known, unknown }) =>
    (['known', 'unknown'] as const).map((kind) => {
      const times = kind === 'known' ? known : unknown;
      const shown = shares.map((share) => showNumber(percentileOf(times, share)));
      return [question, kind, ...shown, kind === 'known' ? showNumber(chanceOfGuess(known, unknown)) : ''];
    }),
  );
  const head = ['asked', 'address', 'p10 ms', 'p50 ms', 'p90 ms', 'p99 ms', 'told apart by one answer'];
  console.log(
    `${showTable(head, rows)}\n\n0.5 is a coin; 1 would be told apart each time. ${rounds} of each kind, in turns.`,
  );
  return { rounds, figures: figures.map((one) => ({ ...one, chance: chanceOfGuess(one.known, one.unknown) })) };
}

/** How often the slower of two answers, one of each kind, is the one of the same kind: 0.5 to 1. Both are sorted. */
function chanceOfGuess(one: readonly number[], other: readonly number[]): number {
  let below = 0;
  let at = 0;
  for (const time of one) {
    while (at < other.length && (other[at] as number) < time) at += 1;
    below += at;
  }
  const share = below / (one.length * other.length);
  return Math.max(share, 1 - share);
}

const emailOf = (kind: 'known' | 'unknown', n: number) => `${kind}-${n}@example.com`;

let networks = 0;

/** From a network of its own, so that no limit answers in the place of what is measured. */
async function ask(baseUrl: string, query: string): Promise<void> {
  networks += 1;
  const address = `10.${Math.floor(networks / 65_536) % 256}.${Math.floor(networks / 256) % 256}.${networks % 256}`;
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
  const response = await fetch(`${baseUrl}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  await response.text();
}
