import { AppError } from '../kernel/app-error.js';
import type { UpstreamClient } from '../providers/call-upstream.js';
import { buildCatalogue } from '../providers/model-catalogue.js';
import type { UpstreamEvent, UpstreamTarget } from '../providers/provider-adapter.js';
import type { RuntimeCatalogue } from './runtime-catalogue.js';

/** What came of a test call. */
export interface ProviderTrial {
  readonly isAnswered: boolean;
  readonly model: string;
  readonly upstreamModel: string;
  readonly durationMs: number;
  /** The status of the provider's answer; null: none came, or it lives in this process. */
  readonly status: number | null;
  /** What the provider reported; null: nothing. */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** Why it failed, in words without the key; null: it answered. */
  readonly message: string | null;
}

export interface ProviderTrialParts {
  readonly catalogue: RuntimeCatalogue;
  readonly upstream: Pick<UpstreamClient, 'call'>;
}

const trialMsMax = 30_000;

/**
 * Asks a provider one question with an answer of one token, which costs the operator that token and no account anything. Also one that
 * is switched off can be tried.
 * @param keyId Which of its keys; null: the first.
 * @throws AppError `not_found` for a key that it has not; `conflict` where it has no key, or answers no model of chat.
 */
export async function tryProvider(
  providerId: string,
  keyId: string | null,
  { catalogue, upstream }: ProviderTrialParts,
): Promise<ProviderTrial> {
  const { modelId, target } = findTrialTarget(providerId, keyId, catalogue);
  const request = { model: modelId, messages: [{ role: 'user' as const, content: 'Hi' }], max_completion_tokens: 1 };
  const startedMs = performance.now();
  let status: number | null = null;
  let tokens: { readonly inputTokens: number; readonly outputTokens: number } | null = null;
  let message: string | null = null;
  try {
    const onStatus = (answered: number) => {
      status = answered;
    };
    const take = (event: UpstreamEvent) => {
      if (event.type === 'usage') tokens = event.usage;
      return null;
    };
    const call = { target, request, signal: null, totalMsMax: trialMsMax, onStatus };
    await upstream.call(call, { take, hasEnough: false });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    message = error.message;
  }
  const used = tokens as { readonly inputTokens: number; readonly outputTokens: number } | null;
  return {
    isAnswered: message === null,
    model: modelId,
    upstreamModel: target.upstreamModel,
    durationMs: Math.round(performance.now() - startedMs),
    status,
    promptTokens: used?.inputTokens ?? null,
    completionTokens: used?.outputTokens ?? null,
    message,
  };
}

function findTrialTarget(providerId: string, keyId: string | null, { config, stored }: RuntimeCatalogue) {
  const overlay = stored === null ? {} : { overlay: { ...stored.overlay, off: new Set<string>() } };
  const everyOne = buildCatalogue({ ...config, ...overlay });
  const routes = everyOne.providers.find(({ id }) => id === providerId)?.routes ?? [];
  const route = routes.find(({ modelId }) => everyOne.findModel(modelId)?.embedding === undefined);
  if (route === undefined) {
    const words =
      'It answers no model of chat yet: give it a key, and name it in the routes of a model, in tollgate.yaml or by new prices.';
    throw new AppError('conflict', words);
  }
  return { modelId: route.modelId, target: withKey(route.target, keyId) };
}

function withKey(target: UpstreamTarget, keyId: string | null): UpstreamTarget {
  if (keyId === null) return target;
  const key = target.kind === 'http' ? target.keys?.keys.find(({ id }) => id === keyId) : undefined;
  if (key === undefined || target.kind !== 'http')
    throw new AppError('not_found', 'The provider has no such key, or SECRETS_KEY does not open it.');
  return { ...target, apiKey: key.secret };
}
