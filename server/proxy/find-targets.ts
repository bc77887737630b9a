import { AppError } from '../kernel/app-error.js';
import type { FoundModel } from '../providers/model-catalogue.js';
import type { UpstreamTarget } from '../providers/provider-adapter.js';
import { chooseTargets } from './choose-targets.js';
import type { ProxyCall, ProxyServices } from './proxy-call.js';

type Services = Pick<ProxyServices, 'health' | 'findPreferredProvider' | 'clock'>;

/**
 * Who is asked for this call, first choice first. Routes with an open circuit are left out.
 * @returns Never empty.
 * @throws AppError as `chooseTargets`; `provider_unavailable`, with the time to wait, when every circuit is open.
 */
export function findTargets(
  { key, providerHeader: header }: Pick<ProxyCall, 'key' | 'providerHeader'>,
  model: FoundModel,
  services: Services,
): readonly UpstreamTarget[] | Promise<readonly UpstreamTarget[]> {
  const keepCallable = (preferred: string | null) => {
    const targets = chooseTargets(model, { header, preferred });
    const callable = targets.filter((target) => services.health.isCallable(target, key.accountId));
    if (callable.length === 0) throw createOpenCircuitError(targets, key.accountId, services);
    return callable;
  };
  // Nobody's preference matters where there is no choice.
  const hasChoice = model.targets.length > 1 && !model.isPinned && header === null;
  return hasChoice ? services.findPreferredProvider(key.accountId).then(keepCallable) : keepCallable(null);
}

/** Says that the circuit of every one of these routes is open for this account, and when the first of them is tried again. */
export function createOpenCircuitError(
  targets: readonly UpstreamTarget[],
  accountId: string,
  { health, clock }: Pick<Services, 'health' | 'clock'>,
): AppError {
  const nowMs = clock.nowMs();
  const waitsMs = targets.map((target) => (health.findRetryAtMs(target, accountId) ?? nowMs) - nowMs);
  const providers = [...new Set(targets.map(({ providerId }) => providerId))].join(', ');
  return new AppError(
    'provider_unavailable',
    `Calls to provider ${providers} have kept failing, and the circuit is open. Try again after the time in retry-after, or use another model or provider.`,
    // A probe that is under way has no end that is known; a second is soon enough to ask again.
    { metadata: { provider: targets[0]?.providerId ?? null }, retryAfterMs: Math.max(1_000, Math.min(...waitsMs)) },
  );
}
