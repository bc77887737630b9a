import type { AuthenticatedKey } from '../keys/authenticate-key.js';
import { judgeAsItStands } from '../keys/judge-key.js';
import { keepAllowedProviders, requireModel, requireModelOfAccount } from '../keys/key-permissions.js';
import type { HoldInput, HoldResult } from '../ledger/ledger-types.js';
import type { FoundModel } from '../providers/model-catalogue.js';
import type { UpstreamTarget } from '../providers/provider-adapter.js';
import type { ProxyCall, ProxyServices } from './proxy-call.js';

const attemptsMax = 3;

interface HoldWanted {
  readonly model: FoundModel;
  readonly targets: readonly UpstreamTarget[];
  readonly input: HoldInput;
}

/**
 * The model as this key, and its account, may call it by now: with the targets that the key allows, in their order.
 * @throws AppError `model_not_allowed` or `provider_not_allowed`.
 */
export async function permitModel(
  key: AuthenticatedKey,
  model: FoundModel,
  { findAccountModels }: Pick<ProxyServices, 'findAccountModels'>,
): Promise<FoundModel> {
  requireModelOfAccount(await findAccountModels(key.accountId), model.id);
  return judgeAsItStands(key, (asItStands) => keepPermitted(asItStands, model));
}

function keepPermitted({ permissions }: AuthenticatedKey, model: FoundModel): FoundModel {
  requireModel(permissions, model.id);
  const targets = keepAllowedProviders(permissions, model.targets);
  return targets === model.targets ? model : { ...model, targets };
}

/**
 * Places a call's hold by its key as it is now. A key that was changed since it was read, on this instance or another, is read
 * and judged again, so that a change holds for the very next call, and a rotation lets no call fail.
 * @throws AppError as the gate and `permitModel` do, for what the key may no longer.
 */
export async function holdByKey(
  call: ProxyCall,
  { model, targets, input }: HoldWanted,
  { ledger }: Pick<ProxyServices, 'ledger'>,
): Promise<HoldResult> {
  let { key } = call;
  for (let attempt = 1; ; attempt += 1) {
    const { spendPeriod, expiresAtMs } = key.permissions;
    const { revision: keyRevision, isMakerBudgeted } = key;
    const asItStands = {
      keyRevision,
      isKeyLimited: spendPeriod !== null,
      isMakerBudgeted,
      keyExpiresAtMs: expiresAtMs,
    };
    const hold = await ledger.placeHold({ ...input, ...asItStands });
    const hasChanged = hold.status === 'refused' && hold.reason === 'key_changed';
    if (!hasChanged || attempt >= attemptsMax) return hold;
    key = await key.reload();
    requireModel(key.permissions, model.id);
    // Any of them may come to answer.
    for (const target of targets) keepAllowedProviders(key.permissions, [target]);
  }
}
