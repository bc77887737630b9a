import { IsBoolean, IsIn, MaxLength } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, ObjectType, Resolver, registerEnumType } from 'type-graphql';
import { DateTimeScalar } from '../../schema/scalars.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { ReasonField, reasonWords } from '../operator-fields.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import { actorOf } from '../people/operator-sessions.js';
import type { SignUpDesk } from './sign-up-desk.js';

const textLengthMax = 1_000;

type SignUpMode = Parameters<SignUpDesk['setMode']>[0];
type SignUpInvitation = Awaited<ReturnType<SignUpDesk['listInvitations']>>[number];

const modeWords = { OPEN: 'open', INVITED: 'invited', CLOSED: 'closed' } as const satisfies Readonly<
  Record<string, SignUpMode>
>;
registerEnumType(modeWords, {
  name: 'OperatorSignUpMode',
  description: 'Who can create an account.',
  valuesConfig: {
    OPEN: { description: 'Everybody whom nothing blocks.' },
    INVITED: { description: 'People whom an operator has invited.' },
    CLOSED: { description: 'Nobody, invited or not.' },
  },
});

@ObjectType('OperatorSignUpInvitation', { description: 'Somebody who was invited and has made no account yet.' })
class OperatorSignUpInvitationType {
  @Field(() => ID, { description: 'The id, `sinv_…`. Not secret.' })
  id!: string;

  @Field(() => String, { description: 'The only address that an account can be made with by it.' })
  email!: string;

  @Field(() => String, { description: 'Who invited.' })
  createdBy!: string;

  @Field(() => DateTimeScalar, { description: 'When.' })
  createdAt!: number;

  @Field(() => DateTimeScalar, { description: 'Until when it can be used.' })
  expiresAt!: number;
}

@ObjectType('OperatorSignUp', { description: 'Who can create an account here.' })
class OperatorSignUpType {
  @Field(() => modeWords, { description: 'Who can.' })
  mode!: SignUpMode;

  @Field(() => String, { nullable: true, description: 'Why; null: nobody has set anything.' })
  reason!: string | null;

  @Field(() => String, { nullable: true, description: 'Who has set it; null: nobody.' })
  setBy!: string | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Since when; null: from the beginning.' })
  setAt!: number | null;

  @Field(() => Boolean, { description: 'Whether this server sends mail, and so can mail invitations.' })
  isMailSent!: boolean;

  @Field(() => [OperatorSignUpInvitationType], {
    description: 'Invitations that nobody has used yet, the newest first; at most 1,000.',
  })
  invitations!: readonly OperatorSignUpInvitationType[];
}

@ObjectType('OperatorInvited', { description: 'An invitation that was just made.' })
class OperatorInvitedType {
  @Field(() => OperatorSignUpInvitationType, { description: 'The invitation.' })
  invitation!: OperatorSignUpInvitationType;

  @Field(() => String, { nullable: true, description: 'Its link, shown once; null: it is mailed.' })
  link!: string | null;
}

@InputType('OperatorInviteInput', { description: 'Who is invited to create an account.' })
class OperatorInviteInput {
  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The address; an earlier invitation to it is then invalid.' })
  email!: string;

  @IsBoolean()
  @Field(() => Boolean, { description: 'Whether it is mailed there; else the link is answered, to be handed on.' })
  isMailed!: boolean;

  @ReasonField()
  reason!: string;
}

@InputType('OperatorSignUpModeInput', { description: 'Who can create an account from now on.' })
class OperatorSignUpModeInput {
  @IsIn(Object.values(modeWords))
  @Field(() => modeWords, { description: 'Who can.' })
  mode!: SignUpMode;

  @ReasonField()
  reason!: string;
}

@Resolver(() => OperatorQueryType)
export class OperatorSignUpQueries {
  constructor(private readonly desk: SignUpDesk) {}

  @FieldResolver(() => OperatorSignUpType, { description: 'Who can create an account here, and who is invited to.' })
  async signUp(): Promise<OperatorSignUpType> {
    const { desk } = this;
    const [{ mode, setBy }, invitations] = await Promise.all([desk.findMode(), desk.listInvitations()]);
    return {
      mode,
      isMailSent: desk.isMailSent,
      invitations: invitations.map(toInvitation),
      reason: setBy?.reason ?? null,
      setBy: setBy?.createdBy ?? null,
      setAt: setBy?.createdAtMs ?? null,
    };
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorSignUpMutations {
  constructor(private readonly desk: SignUpDesk) {}

  @FieldResolver(() => Boolean, {
    description: 'Sets who can create an account, on every server at once. Existing accounts stay.',
  })
  async setSignUpMode(
    @Arg('input', () => OperatorSignUpModeInput, { description: 'Who can, and why.' })
    { mode, reason }: OperatorSignUpModeInput,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.by(actorOf(await requireOperator(context))).setMode(mode, reason);
    return true;
  }

  @FieldResolver(() => OperatorInvitedType, {
    description:
      'Invites somebody to create an account with this address only, by a link that is valid for seven days and one use. It does not open what is blocked or closed.',
  })
  async inviteToSignUp(
    @Arg('input', () => OperatorInviteInput, { description: 'Who, how, and why.' })
    { email, isMailed, reason }: OperatorInviteInput,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorInvitedType> {
    const desk = this.desk.by(actorOf(await requireOperator(context)));
    const { invitation, link } = await desk.invite(email, { isMailed, reason });
    return { invitation: toInvitation(invitation), link };
  }

  @FieldResolver(() => Boolean, { description: 'Withdraws an invitation: its link is then invalid.' })
  async withdrawInvitation(
    @Arg('id', () => ID, { description: 'The invitation’s id.' }) id: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.by(actorOf(await requireOperator(context))).withdraw(id, reason);
    return true;
  }
}

function toInvitation({ id, email, createdBy, createdAtMs, expiresAtMs }: SignUpInvitation) {
  return { id, email, createdBy, createdAt: createdAtMs, expiresAt: expiresAtMs };
}
