import type { MemberRole } from './member-role.js';
import type { SpendPeriod } from './spend-period.js';

/** What a key is for: calls of the proxy, reading what was used, managing keys, buying credits. */
export const keyScopes = ['chat', 'usage:read', 'keys:write', 'billing:write'] as const;
export type KeyScope = (typeof keyScopes)[number];

const readingScopes: ReadonlySet<KeyScope> = new Set(['chat', 'usage:read']);

/** Whether a scope changes what an account has. Of one that is not known to call or to read, it is taken so. */
export function isWriteScope(scope: KeyScope): boolean {
  return !readingScopes.has(scope);
}

/** Whether one of these scopes does. */
export function mayWrite(scopes: readonly KeyScope[] | null | undefined): boolean {
  return scopes?.some(isWriteScope) ?? false;
}

/** What a key may do. null: as much as its account. */
export interface KeyPermissions {
  readonly scopes: readonly KeyScope[];
  /** Public names of models. */
  readonly models: readonly string[] | null;
  /** Ids of providers. */
  readonly providers: readonly string[] | null;
  /** Addresses and networks in CIDR notation. */
  readonly addresses: readonly string[] | null;
  /** Has a period whenever it is there. */
  readonly spendLimitMillicredits: number | null;
  readonly spendPeriod: SpendPeriod | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly expiresAtMs: number | null;
}

/** A key without anything secret. */
export interface ApiKey extends KeyPermissions {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The person who made it; null: whoever signed up for the account. */
  readonly madeBy: string | null;
  readonly maskedSecret: string;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Until when the secret before the last rotation works too; null, or in the past: it does not. */
  readonly graceEndsAtMs: number | null;
}

/** A key that asks for something, and what it may do. */
export interface ActingKey {
  readonly keyId: string;
  readonly permissions: KeyPermissions;
  /** The present role of the member who made it, for which its scopes that write are left out here; left out: none are. */
  readonly withheldFor?: MemberRole;
}
