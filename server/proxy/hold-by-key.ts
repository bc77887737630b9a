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
  /** Everything but how the key stands. */
  readonly input: Required<Omit<HoldInput, 'keyRevision' | 'isKeyLimited' | 'isMakerBudgeted' | 'keyExpiresAtMs'>>;
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
  wanted: HoldWanted,
  { ledger }: Pick<ProxyServices, 'ledger'>,
): Promise<HoldResult> {
  let { key } = call;
  for (let attempt = 1; ; attempt += 1) {
    if (key.proveStanding) await key.proveStanding();
    const hold = await ledger.placeHold(toHoldInput(wanted, key));
    const hasChanged = hold.status === 'refused' && hold.reason === 'key_changed';
    if (!hasChanged || attempt >= attemptsMax) return hold;
    key = await key.reload();
    requireModel(key.permissions, wanted.model.id);
    // Any of them may come to answer.
    for (const target of wanted.targets) keepAllowedProviders(key.permissions, [target]);
  }
}

// Each field by its name: to spread both objects into one took 1.4 % of a call's time.
function toHoldInput({ input }: HoldWanted, { permissions, revision, isMakerBudgeted }: AuthenticatedKey): HoldInput {
  return {
    callId: input.callId,
    accountId: input.accountId,
    keyId: input.keyId,
    keyRevision: revision,
    isKeyLimited: permissions.spendPeriod !== null,
    isMakerBudgeted,
    keyExpiresAtMs: permissions.expiresAtMs,
    facts: input.facts,
    amountMillicredits: input.amountMillicredits,
    acceptFromMillicredits: input.acceptFromMillicredits,
    enoughMillicredits: input.enoughMillicredits,
  };
}
