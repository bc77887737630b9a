import { MaxLength, Min } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, Int, ObjectType, Resolver } from 'type-graphql';
import { AppError } from '../kernel/app-error.js';
import { isId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { CreditsScalar, DateTimeScalar } from '../schema/scalars.js';
import type { AccountDesk, CreditChange } from './accounts/account-desk.js';
import type { SupportDesk } from './accounts/support-desk.js';
import type { CreditDesk, CreditMove, CreditRequest } from './money/credit-desk.js';
import { type OperatorContext, requireOperator } from './operator-context.js';
import { OnceField, ReasonField } from './operator-fields.js';
import { OperatorMutationType, OperatorQueryType } from './operator-root.graphql.js';
import { actorOf } from './people/operator-sessions.js';

const reasonWords =
  'Why: 3 to 191 characters. It is written to the operators’ log, which the owner of the account does not see.';

@InputType('OperatorCreditInput', { description: 'Credits that an operator moves by hand.' })
class OperatorCreditInput {
  @MaxLength(40)
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @Min(1, { message: 'Move at least 0.001 credits.' })
  @Field(() => CreditsScalar, { description: 'How many, above zero.' })
  credits!: number;

  @ReasonField(reasonWords)
  reason!: string;

  @OnceField(
    'An idempotency word of your own: repeated for the same account it moves nothing, and is `CONFLICT` with other credits or another reason. Left out, or null: each request is a new one.',
  )
  once?: string | null;
}

@ObjectType('OperatorCreditRequest', { description: 'Credits that a second operator has to agree to.' })
class OperatorCreditRequestType {
  @Field(() => ID, { description: 'Its id.' })
  id!: string;

  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @Field(() => CreditsScalar, { description: 'Above zero: to be given; below: to be taken back.' })
  credits!: number;

  @Field(() => String, { description: 'Why.' })
  reason!: string;

  @Field(() => ID, { description: 'The operator who asks for it.' })
  askedBy!: string;

  @Field(() => DateTimeScalar, { description: 'Since when it waits.' })
  askedAt!: number;
}

@ObjectType('OperatorCreditMove', { description: 'What became of credits that an operator wanted to move.' })
class OperatorCreditMoveType {
  @Field(() => Boolean, { description: 'Whether they were moved; false: a second operator has to agree.' })
  isMoved!: boolean;

  @Field(() => Boolean, {
    description: 'Whether the same `once` has moved them before, said by whomever and wherever; nothing was moved now.',
  })
  isRepeat!: boolean;

  @Field(() => CreditsScalar, { nullable: true, description: 'What is available now; null: nothing was moved.' })
  available!: number | null;

  @Field(() => OperatorCreditRequestType, { nullable: true, description: 'What waits for a second operator.' })
  request!: OperatorCreditRequestType | null;
}

@Resolver(() => OperatorQueryType)
export class OperatorCreditQueries {
  constructor(private readonly credits: CreditDesk) {}

  @FieldResolver(() => [OperatorCreditRequestType], { description: 'What waits for a second operator; at most 100.' })
  async creditRequests(): Promise<readonly OperatorCreditRequestType[]> {
    return (await this.credits.listWaiting()).map(toRequest);
  }
}

/** What operators change about accounts. */
@Resolver(() => OperatorMutationType)
export class OperatorDeskMutations {
  constructor(
    private readonly desk: AccountDesk,
    private readonly credits: CreditDesk,
    private readonly support: SupportDesk,
    private readonly findKeyOwner: (keyId: string) => Promise<string | null>,
  ) {}

  @FieldResolver(() => OperatorCreditMoveType, {
    description: 'Gives credits, or asks a second operator above the set amount.',
  })
  async grantCredits(
    @Arg('input', () => OperatorCreditInput, { description: 'What, to whom, why.' }) input: OperatorCreditInput,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorCreditMoveType> {
    return toMove(await this.credits.move(await requireOperator(context), 'grant', toChange(input)));
  }

  @FieldResolver(() => OperatorCreditMoveType, {
    description:
      'Takes credits back; missing credits become a debt that the next credits repay. An automatic top-up that this would set off is turned off, and its owner is notified.',
  })
  async takeBackCredits(
    @Arg('input', () => OperatorCreditInput, { description: 'What, from whom, why.' }) input: OperatorCreditInput,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorCreditMoveType> {
    return toMove(await this.credits.move(await requireOperator(context), 'take_back', toChange(input)));
  }

  @FieldResolver(() => CreditsScalar, {
    description: 'Agrees to what another operator asks for. What is available then.',
  })
  async approveCredits(
    @Arg('id', () => ID, { description: 'The request’s id.' }) id: string,
    @Ctx() context: OperatorContext,
  ): Promise<number> {
    return this.credits.approve(await requireOperator(context), id);
  }

  @FieldResolver(() => Boolean, { description: 'Ends a request without moving anything.' })
  async refuseCredits(
    @Arg('id', () => ID, { description: 'The request’s id.' }) id: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.credits.refuse(await requireOperator(context), id, reason);
    return true;
  }

  @FieldResolver(() => Boolean, { description: 'Lets no new call of the account begin; running ones are settled.' })
  async freezeAccount(
    @Arg('accountId', () => ID, { description: 'The account.' }) accountId: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    const desk = this.desk.by(actorOf(await requireOperator(context)));
    await desk.freeze(requireId('account', accountId), reason);
    return true;
  }

  @FieldResolver(() => Boolean, { description: 'Takes back a freeze of operators and of the auditor.' })
  async openAccount(
    @Arg('accountId', () => ID, { description: 'The account.' }) accountId: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    const desk = this.desk.by(actorOf(await requireOperator(context)));
    await desk.open(requireId('account', accountId), reason);
    return true;
  }

  @FieldResolver(() => Boolean, { description: 'Ends a key for good. Once answered, no server lets it in.' })
  async revokeKey(
    @Arg('keyId', () => ID, { description: 'The key’s id, not its secret.' }) keyId: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    const operator = await requireOperator(context);
    const accountId = await this.findKeyOwner(requireId('key', keyId));
    if (accountId === null) throw noSuch('key');
    await this.desk.by(actorOf(operator)).revokeKey({ accountId, keyId }, reason);
    return true;
  }

  @FieldResolver(() => Int, { description: 'Ends every session of the account at once. How many there were.' })
  async endSessions(
    @Arg('accountId', () => ID, { description: 'The account.' }) accountId: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<number> {
    return this.support.endSessions(await requireOperator(context), requireId('account', accountId), reason);
  }

  @FieldResolver(() => String, {
    description:
      'A link for a new password, for the account’s owner only: shown once, valid for 30 minutes and one use.',
  })
  async createResetLink(
    @Arg('accountId', () => ID, { description: 'The account.' }) accountId: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<string> {
    return this.support.createResetLink(await requireOperator(context), requireId('account', accountId), reason);
  }

  @FieldResolver(() => Boolean, { description: 'Has a notice sent that waits or was given up.' })
  async resendNotice(
    @Arg('id', () => ID, { description: 'The notice’s id.' }) id: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.support.resendNotice(await requireOperator(context), requireId('notice', id));
    return true;
  }
}

// Before a caller's text meets the database.
function requireId(kind: 'account' | 'key' | 'notice', text: string): string {
  if (isId(kind, text)) return text;
  throw noSuch(kind);
}

function noSuch(what: string): AppError {
  return new AppError('not_found', `There is no such ${what}, or not any more. Look for it again.`);
}

function toChange({ accountId, credits, reason, once }: OperatorCreditInput): CreditChange {
  const change = { accountId: requireId('account', accountId), amountMillicredits: toMillicredits(credits), reason };
  return once == null ? change : { ...change, once };
}

function toMove(move: CreditMove): OperatorCreditMoveType {
  if (move.status === 'waiting')
    return { isMoved: false, isRepeat: false, available: null, request: toRequest(move.request) };
  const { availableMillicredits: available, isRepeat } = move;
  return { isMoved: true, isRepeat, available, request: null };
}

function toRequest({ id, accountId, direction, amountMillicredits, reason, askedBy, askedAtMs }: CreditRequest) {
  const credits = direction === 'grant' ? amountMillicredits : -amountMillicredits;
  return { id, accountId, credits, reason, askedBy, askedAt: askedAtMs };
}
