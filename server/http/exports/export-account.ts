import type { AccountService } from '../../accounts/account-service.js';
import type { LinkedIdentities } from '../../accounts/identities/linked-identities.js';
import type { SessionService } from '../../accounts/sign-in/session-service.js';
import type { AccountEvents } from '../../audit/account-events.js';
import type { FactorStanding, Factors } from '../../factors/factors.js';
import { toCredits, toMillicredits } from '../../kernel/millicredits.js';
import type { ApiKeyService } from '../../keys/api-key-service.js';
import type { PurchaseService } from '../../purchases/checkout/purchase-service.js';
import type { ItemOwner, PersonalItem, PersonalItems } from '../../saved-items/personal-items.js';
import type { SavedItem, SavedItems } from '../../saved-items/saved-items.js';
import type { CallReader } from '../../usage/requests/call-reader.js';
import { refusalsKeptMax } from '../../usage/requests/refusal-log.js';
import type { KeptRefusal, RefusalReader } from '../../usage/requests/refusal-reader.js';
import { listCallRows, listEventRows, listStatementRows, type StatementSource } from './export-rows.js';

interface ExportedMember {
  readonly personId: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
}

interface ExportedEndpoint {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly isOn: boolean;
  readonly createdAtMs: number;
}

/** Where everything lies that is known about an account. */
export interface AccountSources {
  readonly accounts: Pick<AccountService, 'findAccount'>;
  /** What it pays, in per mille of the list price. */
  readonly accountPrices: { find(accountId: string): number | Promise<number> };
  readonly sessions: Pick<SessionService, 'listSessions'>;
  readonly factors: Pick<Factors, 'describe'>;
  readonly identities: Pick<LinkedIdentities, 'list'>;
  readonly memberships: { listMembers(accountId: string): Promise<readonly ExportedMember[]> };
  readonly keys: Pick<ApiKeyService, 'listKeys'>;
  readonly endpoints: { list(accountId: string): Promise<readonly ExportedEndpoint[]> };
  readonly purchases: Pick<PurchaseService, 'listPurchases'>;
  readonly calls: Pick<CallReader, 'listCalls'>;
  readonly statement: StatementSource;
  readonly events: Pick<AccountEvents, 'listEvents'>;
  readonly refusals: Pick<RefusalReader, 'listRefusals'>;
  readonly savedItems: Pick<SavedItems, 'list'>;
  /** What its person keeps for themselves, in this account and in others. */
  readonly personalItems: Pick<PersonalItems, 'listOfPerson'>;
}

type KeyPermissions = Pick<
  Awaited<ReturnType<ApiKeyService['listKeys']>>[number],
  | 'scopes'
  | 'models'
  | 'providers'
  | 'addresses'
  | 'spendLimitMillicredits'
  | 'spendPeriod'
  | 'requestsPerMinute'
  | 'tokensPerMinute'
  | 'expiresAtMs'
>;

const purchasesPerPage = 100;
const isoTime = (epochMs: number | null) => (epochMs === null ? null : new Date(epochMs).toISOString());

/**
 * What is known about an account, as the text of one JSON object, in pieces as they are asked for. Secrets are not in it: of
 * passwords, keys and sessions only hashes are known, and those of webhooks are shown on their page.
 */
export async function* writeAccountJson(sources: AccountSources, accountId: string, nowMs: number) {
  const { accounts, sessions, factors, keys, purchases, calls, statement, refusals } = sources;
  const account = await accounts.findAccount(accountId);
  const facts = account && {
    id: account.id,
    email: account.email,
    emailVerifiedAt: isoTime(account.emailVerifiedAtMs),
    name: account.name,
    createdAt: isoTime(account.createdAtMs),
    priceMultiplier: await sources.accountPrices.find(accountId),
  };
  yield `{"exportedAt":${JSON.stringify(isoTime(nowMs))},\n"account":${JSON.stringify(facts)}`;
  yield* writeList('sessions', describeSessions(await sessions.listSessions(accountId)));
  yield `,\n"factors":${JSON.stringify(describeFactors(await factors.describe(accountId)))}`;
  yield* writeList('linkedIdentities', describeIdentities(await sources.identities.list(accountId)));
  yield* writeList('members', describeMembers(await sources.memberships.listMembers(accountId)));
  yield* writeList('apiKeys', describeKeys(await keys.listKeys(accountId)));
  yield* writeList('webhookEndpoints', (await sources.endpoints.list(accountId)).map(describeEndpoint));
  yield* writeList('purchases', listPurchaseRows(purchases, accountId));
  yield* writeList('events', listEventRows(sources.events, accountId));
  yield* writeList('statement', listStatementRows(statement, accountId, {}));
  yield* writeList('calls', listCallRows(calls, accountId, {}));
  const refused = await refusals.listRefusals(accountId, { first: refusalsKeptMax, beforeId: null });
  yield* writeList('refusals', refused.items.map(describeRefusal));
  yield* writeList('savedItems', (await sources.savedItems.list(accountId, null)).map(describeSavedItem));
  yield* writeList('personalItems', (await sources.personalItems.listOfPerson(accountId)).map(describePersonalItem));
  yield '}\n';
}

async function* writeList(name: string, items: AsyncIterable<object> | Iterable<object>) {
  yield `,\n"${name}":[`;
  let separator = '\n';
  for await (const item of items) {
    yield separator + JSON.stringify(item, writeAmount);
    separator = ',\n';
  }
  yield ']';
}

function writeAmount(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? toCredits(toMillicredits(Number(value))) : value;
}

function describeSessions(sessions: Awaited<ReturnType<SessionService['listSessions']>>): object[] {
  return sessions.map(({ id, createdAtMs, lastUsedAtMs, userAgent }) => ({
    id,
    createdAt: isoTime(createdAtMs),
    lastUsedAt: isoTime(lastUsedAtMs),
    userAgent,
  }));
}

function describeFactors({ authenticatorAppSinceMs, recoveryCodesLeft, passkeys }: FactorStanding): object {
  return {
    authenticatorAppSince: isoTime(authenticatorAppSinceMs),
    recoveryCodesLeft,
    passkeys: passkeys.map(({ id, name, createdAtMs, lastUsedAtMs }) => ({
      id,
      name,
      createdAt: isoTime(createdAtMs),
      lastUsedAt: isoTime(lastUsedAtMs),
    })),
  };
}

function describeIdentities(identities: Awaited<ReturnType<LinkedIdentities['list']>>): object[] {
  return identities.map(({ id, provider, label, createdAtMs, lastUsedAtMs }) => ({
    ...{ id, provider, label },
    linkedAt: isoTime(createdAtMs),
    lastUsedAt: isoTime(lastUsedAtMs),
  }));
}

function describeMembers(members: readonly ExportedMember[]): object[] {
  return members.map(({ personId, name, email, role }) => ({ personId, name, email, role }));
}

function describeKeys(keys: Awaited<ReturnType<ApiKeyService['listKeys']>>): object[] {
  return keys.map(({ id, name, maskedSecret, createdAtMs, lastUsedAtMs, revokedAtMs, ...permissions }) => ({
    ...{ id, name, maskedSecret },
    createdAt: isoTime(createdAtMs),
    lastUsedAt: isoTime(lastUsedAtMs),
    revokedAt: isoTime(revokedAtMs),
    ...describePermissions(permissions),
  }));
}

/** null: no limit of its own. */
function describePermissions(key: KeyPermissions): object {
  const { scopes, models, providers, addresses, spendPeriod, requestsPerMinute, tokensPerMinute } = key;
  const spendLimit = key.spendLimitMillicredits === null ? null : BigInt(key.spendLimitMillicredits);
  const expiresAt = isoTime(key.expiresAtMs);
  return {
    scopes,
    models,
    providers,
    addresses,
    spendLimit,
    spendPeriod,
    requestsPerMinute,
    tokensPerMinute,
    expiresAt,
  };
}

function describeEndpoint({ id, name, url, events, isOn, createdAtMs }: ExportedEndpoint): object {
  return { id, name, url, events, isOn, createdAt: isoTime(createdAtMs) };
}

function describeRefusal({ id, keyId, lastAtMs, times, status, errorCode, model, param }: KeptRefusal): object {
  return { id, apiKeyId: keyId, at: isoTime(lastAtMs), times, status, code: errorCode, model, param };
}

function describeSavedItem({ kind, name, content, savedAtMs }: SavedItem | PersonalItem): object {
  return { kind, name, content: JSON.parse(content), savedAt: isoTime(savedAtMs) };
}

function describePersonalItem({ accountId, ...item }: PersonalItem & Pick<ItemOwner, 'accountId'>): object {
  return { accountId, ...describeSavedItem(item) };
}

async function* listPurchaseRows(purchases: AccountSources['purchases'], accountId: string) {
  for (let beforeId: string | null = null, isMore = true; isMore; ) {
    const page: Awaited<ReturnType<PurchaseService['listPurchases']>> = await purchases.listPurchases(accountId, {
      first: purchasesPerPage,
      beforeId,
    });
    for (const { id, amountCents, currency, creditsMillicredits, status, createdAtMs, paidAtMs } of page.items) {
      const credits = BigInt(creditsMillicredits);
      yield { id, amountCents, currency, credits, status, createdAt: isoTime(createdAtMs), paidAt: isoTime(paidAtMs) };
    }
    beforeId = page.items.at(-1)?.id ?? null;
    isMore = page.hasNextPage;
  }
}
