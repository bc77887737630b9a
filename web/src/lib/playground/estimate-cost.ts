import { shownOwnerHeaders } from '../session/session-owner';
import { ChatError } from './ask-model';

/** What a call would cost at most. */
export interface CostEstimate {
  readonly creditsMax: number;
  /** Whether the balance pays for enough of it to begin. */
  readonly isAffordable: boolean;
}

interface EstimateBody {
  readonly credits_max?: number;
  readonly is_affordable?: boolean;
  readonly error?: { readonly message?: string; readonly code?: string | null };
}

/**
 * Asks what a request would cost at most; nothing is sent to a provider, held or charged.
 * @throws ChatError with words for the reader.
 */
export async function estimateCost(url: string, body: object): Promise<CostEstimate> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...shownOwnerHeaders() },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  }).catch(() => {
    throw new ChatError('Tollgate cannot be reached. Check your connection.', 'unreachable');
  });
  const answer = (await response.json().catch(() => ({}))) as EstimateBody;
  if (!response.ok || answer.credits_max === undefined) {
    const words = answer.error?.message ?? `The server answered ${response.status}.`;
    throw new ChatError(words, answer.error?.code ?? 'internal');
  }
  return { creditsMax: answer.credits_max, isAffordable: answer.is_affordable === true };
}
