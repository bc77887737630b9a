import { type RiskMarkKind, riskMarkKinds } from '../../operator/abuse/risk-mark-kinds.js';
import type { StandingRiskMark } from '../../operator/abuse/risk-marks.js';
import type { WithServices } from '../open-operator-services.js';
import { asWords, need, type OperatorCommand, type ProgramOptions, readDay, UsageError } from '../operator-program.js';

export const riskMarkUsage = `  account mark <account> --kind watched --note "…" [--until 2026-12-31]
                             seen by operators only; kind: ${riskMarkKinds.join(', ')};
                             --until: ends by itself when that day begins in UTC
  account unmark <mark> --reason "…"
  account marks [--kind watched] [--json]
                             marks in force, newest first; at most 100`;

const listedMax = 100;

/** What operators mark accounts as. Every change is in the operator's log. */
export function listRiskMarkCommands(withServices: WithServices): Readonly<Record<string, OperatorCommand>> {
  return {
    'account mark': {
      options: ['kind', 'note', 'until'],
      subject: 'the account',
      run: (accountId, options) => {
        const wanted = { accountId, ...readMark(options) };
        return withServices(async ({ riskMarks }) => {
          console.log(describe(await asWords(riskMarks.set(wanted))));
        });
      },
    },
    'account unmark': {
      options: ['reason'],
      subject: 'the mark',
      run: (id, { reason }) => {
        const words = need(reason, '--reason');
        return withServices(async ({ riskMarks }) => {
          await asWords(riskMarks.clear(id, words));
          console.log(`${id} is cleared.`);
        });
      },
    },
    'account marks': {
      options: ['kind'],
      flags: ['json'],
      run: (_, { kind, json }) => {
        const wanted = kind === undefined ? null : readKind(kind);
        return withServices(async ({ riskMarks }) => {
          const marks = await riskMarks.list({ kind: wanted, first: listedMax, afterId: null });
          if (json !== undefined) return console.log(JSON.stringify(marks, null, 2));
          for (const mark of marks) console.log(describe(mark));
        });
      },
    },
  };
}

// All of it before the database is asked for: a slip of the pen needs none.
function readMark({ kind, note, until }: ProgramOptions) {
  const endsAtMs = until === undefined ? null : readDay(until, '--until');
  return { kind: readKind(need(kind, '--kind')), note: need(note, '--note'), endsAtMs };
}

function readKind(text: string): RiskMarkKind {
  const kind = riskMarkKinds.find((one) => one === text);
  if (kind === undefined) throw new UsageError(`--kind is one of ${riskMarkKinds.join(', ')}.`);
  return kind;
}

function describe({ id, accountId, kind, note, endsAtMs, setBy, setAtMs }: StandingRiskMark): string {
  const end = endsAtMs === null ? '' : ` until ${new Date(endsAtMs).toISOString()}`;
  return `${id}  ${accountId}  ${kind}${end}  by ${setBy} at ${new Date(setAtMs).toISOString()}: ${note}`;
}
