import type { AccountService } from '../../accounts/account-service.js';
import type { LinkedIdentities } from '../../accounts/identities/linked-identities.js';
import type { SessionService } from '../../accounts/sign-in/session-service.js';
import type { AccountEvents } from '../../audit/account-events.js';
import type { FactorStanding, Factors } from '../../factors/factors.js';
import type { ApiKey } from '../../kernel/api-key.js';
import { toCredits, toMillicredits } from '../../kernel/millicredits.js';
import type { ApiKeyService } from '../../keys/api-key-service.js';
import type { KeyNetwork } from '../../keys/key-networks.js';
import type { AccountLimits } from '../../limits/account-limits.js';
import type { PurchaseService } from '../../purchases/checkout/purchase-service.js';
import type { ItemOwner, PersonalItem, PersonalItems } from '../../saved-items/personal-items.js';
import type { SavedItem, SavedItems } from '../../saved-items/saved-items.js';
import type { CallReader } from '../../usage/requests/call-reader.js';
import type { ReceiptLinks } from '../../usage/requests/receipt-links.js';
import { refusalsKeptMax } from '../../usage/requests/refusal-log.js';
import type { KeptRefusal, RefusalReader } from '../../usage/requests/refusal-reader.js';
import { listCallRows, listEventRows, listStatementRows, type StatementSource } from './export-rows.js';

/** As ISO 8601 in UTC. */
const isoTime = (epochMs: number | null) => (epochMs === null ? null : new Date(epochMs).toISOString());

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

interface ExportedInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly invitedBy: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

interface ExportedAlert {
  readonly thresholdMillicredits: number | null;
  readonly isByEmail: boolean;
  readonly webhookUrl: string | null;
  readonly isUseTold: boolean | null;
}

interface ExportedTopUp {
  readonly card: { readonly cardId: string } | null;
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
  readonly invitations: { listKept(accountId: string): Promise<readonly ExportedInvitation[]> };
  readonly keys: Pick<ApiKeyService, 'listKeys'>;
  /** From where keys were used that came from more than one network. */
  readonly keyNetworks: { list(accountId: string): AsyncIterable<KeyNetwork> };
  /** What holds for it in place of the server's limits. */
  readonly accountLimits: Pick<AccountLimits, 'read'>;
  readonly endpoints: { list(accountId: string): Promise<readonly ExportedEndpoint[]> };
  readonly alerts: { find(accountId: string): Promise<ExportedAlert> };
  readonly topUpSettings: { find(accountId: string): Promise<ExportedTopUp> };
  readonly purchases: Pick<PurchaseService, 'listPurchases'>;
  readonly calls: Pick<CallReader, 'listCalls'>;
  readonly statement: StatementSource;
  readonly events: Pick<AccountEvents, 'listEvents'>;
  readonly receiptLinks: Pick<ReceiptLinks, 'listLinks'>;
  readonly refusals: Pick<RefusalReader, 'listRefusals'>;
  readonly savedItems: Pick<SavedItems, 'list'>;
  /** What its person keeps for themselves, in this account and in others. */
  readonly personalItems: Pick<PersonalItems, 'listOfPerson'>;
}

const purchasesPerPage = 100;

/**
 * What is known about an account (`export-account.test.ts` says which tables, and why others are left out), as the text of one JSON object, in pieces as they are asked for. Secrets are not in it: of
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
    preferredProvider: account.preferredProvider,
    priceMultiplier: await sources.accountPrices.find(accountId),
  };
  yield `{"exportedAt":${JSON.stringify(isoTime(nowMs))},\n"account":${JSON.stringify(facts)}`;
  yield* writeList('sessions', describeSessions(await sessions.listSessions(accountId)));
  yield* writeOne('factors', describeFactors(await factors.describe(accountId)));
  yield* writeList('linkedIdentities', describeIdentities(await sources.identities.list(accountId)));
  yield* writeList('members', describeMembers(await sources.memberships.listMembers(accountId)));
  yield* writeList('invitations', (await sources.invitations.listKept(accountId)).map(describeInvitation));
  yield* writeList('apiKeys', (await keys.listKeys(accountId)).map(describeKey));
  yield* writeList('keyNetworks', sources.keyNetworks.list(accountId));
  yield* writeOne('ownLimits', await sources.accountLimits.read(accountId));
  yield* writeList('webhookEndpoints', (await sources.endpoints.list(accountId)).map(describeEndpoint));
  yield* writeOne('balanceAlert', describeAlert(await sources.alerts.find(accountId)));
  yield* writeOne('autoTopUp', describeTopUp(await sources.topUpSettings.find(accountId)));
  yield* writeList('purchases', listPurchaseRows(purchases, accountId));
  yield* writeList('events', listEventRows(sources.events, accountId));
  yield* writeList('statement', listStatementRows(statement, accountId, {}));
  yield* writeList('calls', listCallRows(calls, accountId, {}));
  yield* writeList('sharedReceipts', (await sources.receiptLinks.listLinks(accountId)).map(describeRow));
  const refused = await refusals.listRefusals(accountId, { first: refusalsKeptMax, beforeId: null });
  yield* writeList('refusals', refused.items.map(describeRefusal));
  yield* writeList('savedItems', (await sources.savedItems.list(accountId, null)).map(describeSavedItem));
  yield* writeList('personalItems', (await sources.personalItems.listOfPerson(accountId)).map(describePersonalItem));
  yield '}\n';
}

function* writeOne(name: string, item: object) {
  yield `,\n"${name}":${JSON.stringify(item, writeAmount)}`;
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
    id,
    provider,
    label,
    linkedAt: isoTime(createdAtMs),
    lastUsedAt: isoTime(lastUsedAtMs),
  }));
}

function describeMembers(members: readonly ExportedMember[]): object[] {
  return members.map(({ personId, name, email, role }) => ({ personId, name, email, role }));
}

/** A key has nothing secret in it. */
function describeKey({ accountId: _whose, ...key }: ApiKey): object {
  return describeRow(key);
}

function describeInvitation({ id, email, role, invitedBy, createdAtMs, expiresAtMs }: ExportedInvitation): object {
  return describeRow({ id, email, role, invitedBy, createdAtMs, expiresAtMs });
}

function describeAlert({ thresholdMillicredits, isByEmail, webhookUrl, isUseTold }: ExportedAlert): object {
  return describeRow({ thresholdMillicredits, isByEmail, webhookUrl, isUseTold: isUseTold === true });
}

/** The card as its service tells it; its id there is of no use to anybody else. */
function describeTopUp({ card, ...settings }: ExportedTopUp): object {
  const { cardId: _id, ...shown } = card ?? { cardId: '' };
  return { ...describeRow(settings), card: card === null ? null : shown };
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

/**
 * The fields of a row as the export of an account shows them, so that a new field is in it at once: `expiresAtMs` is `expiresAt` as
 * ISO 8601 in UTC, `limitMillicredits` is `limit` in credits, others are as they are. Leave out what is secret before.
 */
function describeRow(row: object): object {
  return Object.fromEntries(Object.entries(row).map(describeField));
}

function describeField([name, value]: [string, unknown]): [string, unknown] {
  if (name.endsWith('AtMs') || name.endsWith('UntilMs')) return [name.slice(0, -'Ms'.length), isoTime(value as number)];
  if (!name.endsWith('Millicredits')) return [name, value];
  return [name.slice(0, -'Millicredits'.length), value === null ? null : BigInt(value as number)];
}
