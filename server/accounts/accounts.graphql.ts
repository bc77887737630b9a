import { IsOptional, MaxLength } from 'class-validator';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
  registerEnumType,
  Subscription,
} from 'type-graphql';
import { AppError } from '../kernel/app-error.js';
import type { MemberRole } from '../kernel/member-role.js';
import { Access, balanceAccess, everybody } from '../schema/access.js';
import { findViewer, type GraphqlContext } from '../schema/graphql-context.js';
import { memberRoleNames } from '../schema/member-role.js';
import { CreditsScalar } from '../schema/scalars.js';
import type { AccountService, RequestOrigin, SignedIn } from './account-service.js';
import { AccountType, BalanceType, type KnownBalance, toAccountType, toBalanceType } from './account-type.graphql.js';
import type { BalanceWatch } from './live-balances.js';
import { SecondStepError } from './sign-in/sign-in-factors.js';

// The rules that a person is told about are `sign-up-rules.ts`; this bound only keeps nonsense away from them.
const textLengthMax = 1_000;

// The names on the wire stand on the left.
const freezeReasons = { DISPUTE: 'dispute', AUDIT: 'audit', OPERATOR: 'operator' } as const;
registerEnumType(freezeReasons, {
  name: 'FreezeReason',
  description: 'Why an account can make no calls.',
  valuesConfig: {
    DISPUTE: { description: 'Its bank disputes a payment. It ends with the dispute.' },
    AUDIT: { description: 'Its balance did not add up. The operator has been told.' },
    OPERATOR: { description: 'The operator stopped it.' },
  },
});
type FreezeReason = (typeof freezeReasons)[keyof typeof freezeReasons];

@InputType('SignUpInput', { description: 'What a new account needs.' })
class SignUpInput {
  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The e-mail address to sign in with. Upper and lower case do not matter.' })
  email!: string;

  @MaxLength(textLengthMax)
  @Field(() => String, { description: '8 to 128 characters, and none that is tried first.' })
  password!: string;

  @IsOptional()
  @MaxLength(textLengthMax)
  @Field(() => String, {
    nullable: true,
    description:
      'The name of its owner: 1 to 100 characters. Left out, or null: the part before the @ of the address, until `updateProfile` says otherwise.',
  })
  name?: string | null;

  @IsOptional()
  @MaxLength(textLengthMax)
  @Field(() => String, {
    nullable: true,
    description: 'Where accounts are created by invitation: the part of its link after the #; null: none.',
  })
  invitation?: string | null;
}

@InputType('SignInInput', { description: 'Who signs in.' })
class SignInInput {
  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The e-mail address of the account.' })
  email!: string;

  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The password of the account.' })
  password!: string;

  @IsOptional()
  @MaxLength(textLengthMax)
  @Field(() => String, {
    nullable: true,
    description:
      'Where the account has a second factor: a code of the authenticator app, or a recovery code. Left out, or null: `finishSignIn` takes it.',
  })
  code?: string | null;
}

@ObjectType('SignInPayload', { description: 'A session that has just begun.' })
export class SignInPayloadType {
  @Field(() => AccountType, { description: 'Who is signed in.' })
  account!: AccountType;

  @Field(() => String, {
    description:
      'For scripts: send it as `Authorization: Bearer <sessionToken>`. It ends after 7 days without use, and after 30 days. Browsers have it as a cookie already.',
  })
  sessionToken!: string;
}

export interface AccountLimits {
  /** Of an account that has none of its own. */
  readonly requestsPerMinute: number;
  /** null: the account has none of its own. */
  readonly findOwn: (accountId: string) => OwnRequestLimit | Promise<OwnRequestLimit>;
  readonly keysPerAccountMax: number;
  readonly isMailSent: boolean;
  /** Where the mails lie that would have been sent; null: nobody may read them. */
  readonly mailboxPath: string | null;
  /** Receipts are removed so many days after their month; null: never. */
  readonly findReceiptsKeptDays: () => Promise<number | null>;
}

interface OwnRequestLimit {
  readonly requestsPerMinute: number | null;
  readonly keysMax: number | null;
}

interface WalletStanding {
  readonly debtMillicredits: number;
  readonly isFrozen: boolean;
  readonly frozenFor: readonly FreezeReason[];
}

/** Answers what an account has; the ledger does. */
export interface BalanceSource {
  findBalance(accountId: string): Promise<KnownBalance>;
  findStanding(accountId: string): Promise<WalletStanding>;
}

@Resolver(() => AccountType)
export class AccountsResolver {
  constructor(
    private readonly accounts: AccountService,
    private readonly balances: BalanceSource,
    private readonly limits: AccountLimits,
  ) {}

  @Access({ keys: 'any', members: 'person', isViewable: true })
  @Query(() => String, {
    nullable: true,
    description:
      'The path of the page with the mails that this server would have sent, for a browser on its machine; null: there is none, as in production, where others reach it, or where mails are sent.',
  })
  mailboxPath(): string | null {
    return this.limits.mailboxPath;
  }

  @Access({ keys: ['usage:read'], members: everybody, isViewable: true })
  @Query(() => AccountType, {
    nullable: true,
    description:
      'The account that is signed in; null for a request without a session. `UNAUTHENTICATED` for a session that has ended or never was one.',
  })
  async viewer(@Ctx() context: GraphqlContext): Promise<AccountType | null> {
    const viewer = findViewer(context);
    const account = viewer && (await this.accounts.findAccount(viewer.accountId));
    return account && toAccountType(account);
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => SignInPayloadType, {
    description:
      'Creates an account and signs it in. There is no approval to wait for. `FORBIDDEN` where operators have closed sign-up, or an invitation is needed.',
  })
  async signUp(
    @Arg('input', () => SignUpInput, { description: 'What the new account needs.' }) input: SignUpInput,
    @Ctx() context: GraphqlContext,
  ): Promise<SignInPayloadType> {
    return toSignInPayload(await this.accounts.signUp({ ...input, from: originOf(context) }), context);
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => SignInPayloadType, {
    description:
      'Begins a session. Where the account has a second factor, and no code was sent, it is refused with the reason `second_factor_required`, and `finishSignIn` goes on. After 10 failures in 15 minutes a network has to wait, and sooner when many networks fail for one account; a browser that has signed in before is counted by itself.',
  })
  async signIn(
    @Arg('input', () => SignInInput, { description: 'Who signs in.' }) input: SignInInput,
    @Ctx() context: GraphqlContext,
  ): Promise<SignInPayloadType> {
    const { email, password, code = null } = input;
    try {
      return toSignInPayload(await this.accounts.signIn({ email, password, code, from: originOf(context) }), context);
    } catch (error) {
      if (error instanceof SecondStepError) context.setStepCookie(error.token.reveal());
      throw error;
    }
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, { description: 'Ends the session at once. True when there was one.' })
  async signOut(@Ctx() context: GraphqlContext): Promise<boolean> {
    context.clearSessionCookie();
    const { viewer } = context;
    if (viewer === null || viewer.sessionId === null) return false;
    await this.accounts.signOut({ accountId: viewer.accountId, sessionId: viewer.sessionId });
    return true;
  }

  @Access(balanceAccess)
  @Subscription(() => BalanceType, {
    description:
      'The credits of the account: now, and again whenever they change. By server-sent events at `POST /graphql/stream`, or by WebSocket at `/graphql`; at most 5 at a time.',
    name: 'balance',
    subscribe: ({ context }) => watchBalance(context),
  })
  balanceChanges(@Root() balance: KnownBalance): BalanceType {
    return toBalanceType(balance);
  }

  @FieldResolver(() => memberRoleNames, {
    nullable: true,
    description: 'What the signed-in person may do in it; null: nobody is signed in, or an API key asks.',
  })
  role(@Root() { id }: AccountType, @Ctx() { viewer }: GraphqlContext): MemberRole | null {
    return viewer?.accountId === id ? viewer.role : null;
  }

  @FieldResolver(() => BalanceType, { description: 'Its credits, as of now.' })
  async balance(@Root() { id }: AccountType): Promise<BalanceType> {
    return toBalanceType(await this.balances.findBalance(id));
  }

  @FieldResolver(() => CreditsScalar, {
    description:
      'What it owes after a refund or a dispute of spent credits; what running calls have only reserved is not owed. The next credits in repay it first.',
  })
  async debt(@Root() { id }: AccountType, @Ctx() context: GraphqlContext): Promise<number> {
    return (await this.#findStanding(id, context)).debtMillicredits;
  }

  @FieldResolver(() => Boolean, { description: 'Whether it can make no calls at the moment.' })
  async isFrozen(@Root() { id }: AccountType, @Ctx() context: GraphqlContext): Promise<boolean> {
    return (await this.#findStanding(id, context)).isFrozen;
  }

  @FieldResolver(() => [freezeReasons], { description: 'Why it is frozen; empty unless it is.' })
  async frozenFor(@Root() { id }: AccountType, @Ctx() context: GraphqlContext): Promise<readonly FreezeReason[]> {
    return (await this.#findStanding(id, context)).frozenFor;
  }

  @FieldResolver(() => Int, { description: 'How many calls per minute it may make, over all its keys.' })
  async requestsPerMinute(@Root() { id }: AccountType): Promise<number> {
    return (await this.limits.findOwn(id)).requestsPerMinute ?? this.limits.requestsPerMinute;
  }

  @FieldResolver(() => Boolean, {
    description:
      'Whether this server sends mail. Where it does not, its operator makes the link that verifies an address.',
  })
  isMailSent(): boolean {
    return this.limits.isMailSent;
  }

  @FieldResolver(() => Int, {
    nullable: true,
    description:
      'Receipts of calls are removed so many days after the end of their month; sums and the statement stay. null: they are kept.',
  })
  receiptsKeptDays(): Promise<number | null> {
    return this.limits.findReceiptsKeptDays();
  }

  @FieldResolver(() => Int, { description: 'How many keys it may have in force at the same time.' })
  async keysMax(@Root() { id }: AccountType): Promise<number> {
    return (await this.limits.findOwn(id)).keysMax ?? this.limits.keysPerAccountMax;
  }

  #findStanding(accountId: string, context: GraphqlContext): Promise<WalletStanding> {
    return context.loadOnce(`standing of ${accountId}`, () => this.balances.findStanding(accountId));
  }
}

function watchBalance({ watchBalance: watch }: Partial<BalanceWatch>): AsyncIterable<KnownBalance> {
  if (watch) return watch();
  throw new AppError('method_not_supported', 'Send subscriptions to /graphql/stream, or to /graphql by WebSocket.');
}

/** Where a request comes from. */
export function originOf({ addressOfCaller: address, userAgent, deviceTokens }: GraphqlContext): RequestOrigin {
  return { address, userAgent, deviceTokens };
}

/** Hands a session to whoever signed in: a browser has it as a cookie. */
export function toSignInPayload(
  { account, sessionToken, deviceTokens }: SignedIn,
  context: GraphqlContext,
): SignInPayloadType {
  context.setSessionCookie(sessionToken);
  context.setDeviceCookie(deviceTokens);
  return { account: toAccountType(account), sessionToken };
}
