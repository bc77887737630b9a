import type { UsageSource } from '../../gql/graphql';

/** How a call ended, as the server says it. */
export type CallOutcomeName = 'COMPLETED' | 'INTERRUPTED' | 'ABANDONED' | 'FAILED' | 'EXPIRED';

interface OutcomeWords {
  readonly label: string;
  readonly color: 'pine' | 'amber' | 'red' | 'gray';
  /** What was charged for it, and why. */
  readonly meaning: string;
}

/** The words and the colour for each way in which a call ends. */
export const outcomeWords: Record<CallOutcomeName, OutcomeWords> = {
  COMPLETED: { label: 'Completed', color: 'pine', meaning: 'The complete answer arrived and was charged exactly.' },
  INTERRUPTED: {
    label: 'Interrupted',
    color: 'amber',
    meaning: 'The provider stopped early. You paid only for what was delivered.',
  },
  ABANDONED: {
    label: 'Abandoned',
    color: 'amber',
    meaning: 'Your client disconnected early. You paid for the prompt and for what was written by then.',
  },
  FAILED: { label: 'Failed', color: 'red', meaning: 'Nothing was delivered, so nothing was charged.' },
  EXPIRED: {
    label: 'Expired',
    color: 'gray',
    meaning: 'The call never finished. Its reserved credits were returned.',
  },
};

const adviceOfCode: Readonly<Record<string, string>> = {
  provider_unavailable:
    'The provider refuses this server, or is out of service. Use another model, or contact the operator.',
  provider_rate_limited: 'The provider is limiting calls from this server. Try again shortly, or use another model.',
  provider_overloaded: 'The provider is overloaded. Try again shortly, or use another model.',
  provider_timeout: 'The provider took too long. Try again, or ask for a shorter answer.',
  provider_error: 'The provider failed to answer. Try again, or use another model.',
  provider_rejected: 'The provider refused the request itself. The error that your program received says why.',
};

/** Why a call got no whole answer, and what to do next; null for a code of which nothing more is known than its name. */
export function findAdvice(errorCode: string | null): string | null {
  return errorCode !== null && Object.hasOwn(adviceOfCode, errorCode) ? (adviceOfCode[errorCode] ?? null) : null;
}

/** What was charged for a call, and why; a call of which nobody counted tokens may be free although it was answered. */
export function findMeaning(call: { readonly outcome: CallOutcomeName; readonly usageSource: UsageSource }): string {
  const isFree = call.usageSource === 'NONE';
  if (isFree && call.outcome === 'COMPLETED')
    return 'The model wrote nothing, or a filter withheld it, so nothing was charged.';
  if (isFree && call.outcome === 'ABANDONED')
    return 'Your client disconnected before anything was written, so nothing was charged.';
  return outcomeWords[call.outcome].meaning;
}
