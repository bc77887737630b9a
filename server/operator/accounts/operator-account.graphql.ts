import { Arg, FieldResolver, ID, Int, Resolver, Root } from 'type-graphql';
import { InvalidInputError } from '../../kernel/app-error.js';
import { isId } from '../../kernel/ids.js';
import type { OperatorEvent, OperatorLog } from '../operator-log.js';
import { OperatorQueryType } from '../operator-root.graphql.js';
import type { FoundAccount } from './account-finder.js';
import {
  OperatorAccountType,
  OperatorCallType,
  OperatorChangeType,
  OperatorFoundAccountType,
  OperatorKeyType,
  OperatorNoticeType,
  OperatorPurchaseType,
  OperatorSessionType,
  OperatorStatementLineType,
  OperatorWalletType,
} from './operator-account-type.graphql.js';

interface AccountFacts {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly emailVerifiedAtMs: number | null;
  readonly closedAtMs: number | null;
}

type Page<Item> = Promise<{ readonly items: readonly Item[] }>;

/** What is read of accounts; each is asked of whoever keeps it. */
export interface AccountReads {
  findAccounts(text: string): Promise<readonly FoundAccount[]>;
  findAccount(id: string): Promise<AccountFacts | null>;
  findBalance(id: string): Promise<{ readonly availableMillicredits: number; readonly heldMillicredits: number }>;
  findStanding(id: string): Promise<{
    readonly debtMillicredits: number;
    readonly isFrozen: boolean;
    readonly frozenFor: readonly string[];
  }>;
  listStatement(
    id: string,
    first: number,
  ): Page<{
    readonly id: string;
    readonly type: string;
    readonly atMs: number;
    readonly amountMillicredits: number;
    readonly balanceAfterMillicredits: number;
  }>;
  listKeys(
    id: string,
    first: number,
  ): Page<{
    readonly id: string;
    readonly name: string;
    readonly maskedSecret: string;
    readonly lastUsedAtMs: number | null;
    readonly revokedAtMs: number | null;
  }>;
  listCalls(
    id: string,
    first: number,
  ): Page<{
    readonly callId: string;
    readonly startedAtMs: number;
    readonly model: string;
    readonly provider: string;
    readonly outcome: string;
    readonly chargedMillicredits: number;
  }>;
  listPurchases(
    id: string,
    first: number,
  ): Page<{
    readonly id: string;
    readonly amountCents: number;
    readonly creditsMillicredits: number;
    readonly status: string;
    readonly createdAtMs: number;
    readonly gatewaySessionId: string | null;
    readonly refundedCents: number;
  }>;
  listSessions(
    id: string,
  ): Promise<readonly { readonly id: string; readonly lastUsedAtMs: number; readonly userAgent: string | null }[]>;
  listNotices(id: string, first: number): Promise<readonly NoticeFacts[]>;
}

export interface NoticeFacts {
  readonly id: string;
  readonly accountId: string | null;
  readonly channel: string;
  readonly title: string;
  readonly state: string;
  readonly attempts: number;
  readonly createdAtMs: number;
}

const firstWords = 'How many to answer at most: 1 to 100.';

@Resolver(() => OperatorQueryType)
export class OperatorAccountQueries {
  constructor(
    private readonly reads: AccountReads,
    private readonly changes: OperatorLog,
  ) {}

  @FieldResolver(() => [OperatorFoundAccountType], {
    description:
      'Accounts by what a letter quotes: the id of an account, key, call, purchase or payment, what is shown of a key, the beginning of an e-mail address or a name. At most 20.',
  })
  async accounts(
    @Arg('text', () => String, { description: 'What is looked for.' }) text: string,
  ): Promise<readonly OperatorFoundAccountType[]> {
    const found = await this.reads.findAccounts(text);
    const rows = await Promise.all(
      found.map(async ({ accountId, by }) => ({ by, account: await this.reads.findAccount(accountId) })),
    );
    return rows.flatMap(({ by, account }) => (account === null ? [] : [{ by, account: toAccount(account) }]));
  }

  @FieldResolver(() => OperatorAccountType, {
    nullable: true,
    description: 'An account, a deleted one too; null: none.',
  })
  async account(
    @Arg('id', () => ID, { description: 'The account’s id.' }) id: string,
  ): Promise<OperatorAccountType | null> {
    const found = isId('account', id) ? await this.reads.findAccount(id) : null;
    return found && toAccount(found);
  }

  @FieldResolver(() => [OperatorChangeType], { description: 'What operators have done, the newest first.' })
  async log(
    @Arg('first', () => Int, { defaultValue: 50, description: firstWords }) first: number,
    @Arg('before', () => ID, { nullable: true, description: 'The last id of the page before; left out: the newest.' })
    before?: string | null,
  ): Promise<readonly OperatorChangeType[]> {
    const page = { first: readFirst(first), ...(before && isId('operatorEvent', before) ? { beforeId: before } : {}) };
    return (await this.changes.list(page)).map(toChange);
  }
}

/** What an account's page shows; nothing is read that is not asked for. */
@Resolver(() => OperatorAccountType)
export class OperatorAccountResolver {
  constructor(
    private readonly reads: AccountReads,
    private readonly log: OperatorLog,
  ) {}

  @FieldResolver(() => OperatorWalletType, { description: 'What it has.' })
  async wallet(@Root() { id }: OperatorAccountType): Promise<OperatorWalletType> {
    const [balance, standing] = await Promise.all([this.reads.findBalance(id), this.reads.findStanding(id)]);
    return {
      available: balance.availableMillicredits,
      held: balance.heldMillicredits,
      debt: standing.debtMillicredits,
      isFrozen: standing.isFrozen,
      frozenFor: standing.frozenFor,
    };
  }

  @FieldResolver(() => [OperatorStatementLineType], { description: 'Its statement, the newest line first.' })
  async statement(
    @Root() { id }: OperatorAccountType,
    @Arg('first', () => Int, { defaultValue: 25, description: firstWords }) first: number,
  ): Promise<readonly OperatorStatementLineType[]> {
    const { items } = await this.reads.listStatement(id, readFirst(first));
    return items.map((line) => ({
      id: line.id,
      type: line.type,
      at: line.atMs,
      amount: line.amountMillicredits,
      balanceAfter: line.balanceAfterMillicredits,
    }));
  }

  @FieldResolver(() => [OperatorKeyType], { description: 'Its keys, the newest first, revoked ones too.' })
  async keys(
    @Root() { id }: OperatorAccountType,
    @Arg('first', () => Int, { defaultValue: 25, description: firstWords }) first: number,
  ): Promise<readonly OperatorKeyType[]> {
    const { items } = await this.reads.listKeys(id, readFirst(first));
    return items.map(({ id: keyId, name, maskedSecret, lastUsedAtMs, revokedAtMs }) => ({
      id: keyId,
      name,
      maskedSecret,
      lastUsedAt: lastUsedAtMs,
      revokedAt: revokedAtMs,
    }));
  }

  @FieldResolver(() => [OperatorCallType], { description: 'Its calls, the newest first.' })
  async calls(
    @Root() { id }: OperatorAccountType,
    @Arg('first', () => Int, { defaultValue: 25, description: firstWords }) first: number,
  ): Promise<readonly OperatorCallType[]> {
    const { items } = await this.reads.listCalls(id, readFirst(first));
    return items.map((call) => ({
      id: call.callId,
      startedAt: call.startedAtMs,
      model: call.model,
      provider: call.provider,
      outcome: call.outcome,
      charged: call.chargedMillicredits,
    }));
  }

  @FieldResolver(() => [OperatorPurchaseType], { description: 'Its purchases, the newest first.' })
  async purchases(
    @Root() { id }: OperatorAccountType,
    @Arg('first', () => Int, { defaultValue: 25, description: firstWords }) first: number,
  ): Promise<readonly OperatorPurchaseType[]> {
    const { items } = await this.reads.listPurchases(id, readFirst(first));
    return items.map((purchase) => ({
      id: purchase.id,
      cents: purchase.amountCents,
      credits: purchase.creditsMillicredits,
      status: purchase.status,
      createdAt: purchase.createdAtMs,
      paymentId: purchase.gatewaySessionId,
      refundedCents: purchase.refundedCents,
    }));
  }

  @FieldResolver(() => [OperatorSessionType], {
    description: 'Its owner’s sign-ins, the last used first; at most 100.',
  })
  async sessions(@Root() { id }: OperatorAccountType): Promise<readonly OperatorSessionType[]> {
    const sessions = await this.reads.listSessions(id);
    return sessions.map(({ id: sessionId, lastUsedAtMs, userAgent }) => ({
      id: sessionId,
      lastUsedAt: lastUsedAtMs,
      userAgent,
    }));
  }

  @FieldResolver(() => [OperatorNoticeType], { description: 'Mails and webhooks about it, the newest first.' })
  async notices(
    @Root() { id }: OperatorAccountType,
    @Arg('first', () => Int, { defaultValue: 25, description: firstWords }) first: number,
  ): Promise<readonly OperatorNoticeType[]> {
    return (await this.reads.listNotices(id, readFirst(first))).map(toNotice);
  }

  @FieldResolver(() => [OperatorChangeType], { description: 'What operators have done to it, the newest first.' })
  async changes(
    @Root() { id }: OperatorAccountType,
    @Arg('first', () => Int, { defaultValue: 25, description: firstWords }) first: number,
  ): Promise<readonly OperatorChangeType[]> {
    return (await this.log.list({ first: readFirst(first), accountId: id })).map(toChange);
  }
}

export function toNotice({ id, accountId, channel, title, state, attempts, createdAtMs }: NoticeFacts) {
  return { id, accountId, channel, title, state, attempts, createdAt: createdAtMs };
}

function toAccount({ id, email, name, createdAtMs, emailVerifiedAtMs, closedAtMs }: AccountFacts): OperatorAccountType {
  return { id, email, name, createdAt: createdAtMs, emailVerifiedAt: emailVerifiedAtMs, closedAt: closedAtMs };
}

function toChange(event: OperatorEvent): OperatorChangeType {
  const { id, atMs, actor, action, accountId, subject, amountMillicredits, reason } = event;
  return { id, at: atMs, actor, action, accountId: accountId || null, subject, amount: amountMillicredits, reason };
}

function readFirst(first: number): number {
  if (first >= 1 && first <= 100) return first;
  throw new InvalidInputError('first', 'Ask for 1 to 100.');
}
