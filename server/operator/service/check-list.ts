import { withinMs } from '../../kernel/jobs/within-ms.js';

/** How one thing stands that a server rests on. */
export interface CheckFinding {
  /** What was looked at, in a word or two. */
  readonly check: string;
  readonly standing: 'ok' | 'warning' | 'failed' | 'off';
  /** What was found. */
  readonly text: string;
  /** What to do about it; null where nothing needs doing. */
  readonly remedy: string | null;
}

/** One thing to look at. */
export interface Check {
  readonly check: string;
  /** What to do when it throws, or does not end in time. */
  readonly remedy: string;
  readonly look: () => Promise<Omit<CheckFinding, 'check'> | readonly Omit<CheckFinding, 'check'>[]>;
}

export function ok(text: string) {
  return { standing: 'ok', text, remedy: null } as const;
}

/** For what is not set, and need not be. */
export function off(text: string) {
  return { standing: 'off', text, remedy: null } as const;
}

/**
 * Looks at one thing after the other. What throws, or has not ended after `timeoutMs`, has failed with its words and the check's
 * remedy; the others are looked at all the same.
 */
export async function runChecks(checks: readonly Check[], timeoutMs = 15_000): Promise<CheckFinding[]> {
  const findings: CheckFinding[] = [];
  const tooLate = `No answer in ${timeoutMs / 1_000} seconds.`;
  for (const { check, remedy, look } of checks) {
    const found = await withinMs(timeoutMs, look(), tooLate).catch((error: unknown) => [
      { standing: 'failed', text: wordsOf(error), remedy } as const,
    ]);
    findings.push(...[found].flat().map((finding) => ({ check, ...finding })));
  }
  return findings;
}

const standingWords: Readonly<Record<CheckFinding['standing'], string>> = {
  ok: 'ok     ',
  off: 'off    ',
  warning: 'WARNING',
  failed: 'FAILED ',
};

/** A line for each finding, its remedy below it, and a last line that sums them up. */
export function printFindings(findings: readonly CheckFinding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, standing, text, remedy }) => [
    `${standingWords[standing]} ${check.padEnd(width)}  ${text}`,
    ...(remedy === null ? [] : [`${' '.repeat(width + 10)}${remedy}`]),
  ]);
  const count = (wanted: CheckFinding['standing']) => findings.filter(({ standing }) => standing === wanted).length;
  return [...lines, '', `${count('failed')} failed, ${count('warning')} warnings, ${count('ok')} ok.`].join('\n');
}

function wordsOf(error: unknown): string {
  const { message, errors } = error as Partial<AggregateError>;
  const words = [message, ...(errors ?? []).map((part: Partial<Error>) => part.message)].filter(Boolean);
  return words.join(', ').replaceAll(/\s+/g, ' ').slice(0, 400) || String(error);
}
