import type { ApiKeyInput } from '../../gql/graphql';
import { changedFields } from '../../lib/forms/changed-fields';
import { type KeyPermissions, noDayYet } from '../../lib/key-sentence';

/** A key as it stands in the form. */
export interface KeyDraft extends KeyPermissions {
  readonly name: string;
}

/** What a new key is unless its owner wants it otherwise. */
export const newKeyDraft: KeyDraft = {
  name: '',
  scopes: ['CHAT', 'USAGE_READ'],
  models: null,
  providers: null,
  spendLimit: null,
  spendPeriod: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  addresses: null,
  expiresAt: null,
};

/** A key as the server has it, for the form to begin with. */
export function toKeyDraft(
  key: {
    readonly [Name in keyof KeyDraft]: KeyDraft[Name] | undefined;
  },
): KeyDraft {
  return {
    name: key.name ?? '',
    scopes: key.scopes ?? newKeyDraft.scopes,
    models: key.models ?? null,
    providers: key.providers ?? null,
    spendLimit: key.spendLimit ?? null,
    spendPeriod: key.spendPeriod ?? null,
    requestsPerMinute: key.requestsPerMinute ?? null,
    tokensPerMinute: key.tokensPerMinute ?? null,
    addresses: key.addresses ?? null,
    expiresAt: key.expiresAt ?? null,
  };
}

/** A new key, every field of it. */
export function toKeyInput(draft: KeyDraft): ApiKeyInput {
  const { scopes, models, providers, addresses, ...rest } = draft;
  return {
    ...rest,
    name: draft.name.trim(),
    scopes: [...scopes],
    models: models && [...models],
    providers: providers && [...providers],
    addresses: addresses && [...addresses],
    spendPeriod: draft.spendLimit === null ? null : (draft.spendPeriod ?? 'MONTH'),
  };
}

/** Only what differs from what the form showed: what is left out stays as it is, also if it was changed elsewhere meanwhile. */
export function toKeyChange(shown: KeyDraft, draft: KeyDraft): ApiKeyInput {
  const wanted = toKeyInput(draft);
  const change = changedFields(toKeyInput(shown), wanted);
  if (!('spendLimit' in change || 'spendPeriod' in change)) return change;
  // A limit means nothing without the period that was shown beside it.
  return { ...change, spendLimit: wanted.spendLimit ?? null, spendPeriod: wanted.spendPeriod ?? null };
}

/** What is still missing of a draft, as a sentence; null when it can be sent. */
export function draftFault(draft: KeyDraft): string | null {
  if (draft.scopes.length === 0) return 'Choose at least one permission.';
  if (draft.models?.length === 0) return 'Choose the models, or allow any.';
  if (draft.providers?.length === 0) return 'Choose the providers, or allow any.';
  if (draft.addresses?.length === 0) return 'Enter the addresses, or allow any.';
  if (draft.expiresAt === noDayYet) return 'Enter the last day of the key as 2026-11-03, or let it never expire.';
  return null;
}
