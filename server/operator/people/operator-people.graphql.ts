import { MaxLength } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, ObjectType, Resolver } from 'type-graphql';
import { DateTimeScalar } from '../../schema/scalars.js';
import { listOperationsOf, type OperatorRole } from '../operator-access.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { OperatorMutationType, OperatorQueryType, roleWords } from '../operator-root.graphql.js';
import type { OperatorFacts, OperatorPeople } from './operator-people.js';
import { actorOf } from './operator-sessions.js';
import type { OperatorSignIn } from './operator-sign-in.js';
import { tokenOperations } from './operator-token-access.js';

const textLengthMax = 1_000;

@InputType('OperatorSignInInput', { description: 'An operator who signs in.' })
class OperatorSignInInput {
  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The operator’s e-mail address.' })
  email!: string;

  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The operator’s password.' })
  password!: string;

  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The six digits that the app shows now.' })
  code!: string;
}

@InputType('OperatorJoinInput', { description: 'Somebody who was invited.' })
class OperatorJoinInput {
  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The part of the link after the #.' })
  token!: string;

  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The address to sign in with.' })
  email!: string;

  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The name in the log: 1 to 100 characters.' })
  name!: string;

  @MaxLength(textLengthMax)
  @Field(() => String, { description: '12 to 128 characters, and none that is tried first.' })
  password!: string;

  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The six digits that the app shows now.' })
  code!: string;
}

@ObjectType('OperatorPerson', { description: 'An operator.' })
class OperatorPersonType {
  @Field(() => ID, { description: 'The id, `op_…`.' })
  id!: string;

  @Field(() => String, { description: 'The address that is signed in with.' })
  email!: string;

  @Field(() => String, { description: 'The name that the log shows.' })
  name!: string;

  @Field(() => roleWords, { description: 'What the operator is there for.' })
  role!: OperatorRole;

  @Field(() => DateTimeScalar, { description: 'Since when.' })
  createdAt!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'From when nothing may be done any more; null: it may.' })
  disabledAt!: number | null;
}

@ObjectType('OperatorIdentity', { description: 'The operator who asks.' })
class OperatorIdentityType {
  @Field(() => ID, { description: 'The id, `op_…`.' })
  id!: string;

  @Field(() => String, { description: 'The name that the log shows.' })
  name!: string;

  @Field(() => roleWords, { description: 'What the operator is there for.' })
  role!: OperatorRole;

  @Field(() => [String], { description: 'The names of what the role may ask.' })
  may!: readonly string[];
}

@ObjectType('OperatorJoining', { description: 'What somebody who was invited sets up.' })
class OperatorJoiningType {
  @Field(() => roleWords, { description: 'What the new operator will be there for.' })
  role!: OperatorRole;

  @Field(() => String, { description: 'The secret for the authenticator app, to be typed.' })
  secret!: string;

  @Field(() => String, { description: 'The same as an `otpauth:` address.' })
  uri!: string;
}

@Resolver(() => OperatorQueryType)
export class OperatorPeopleQueries {
  constructor(private readonly everybody: OperatorPeople) {}

  @FieldResolver(() => OperatorIdentityType, {
    nullable: true,
    description: 'Who asks; null: no operator is signed in.',
  })
  async me(@Ctx() context: OperatorContext): Promise<OperatorIdentityType | null> {
    const found = (await context.operators?.find()) ?? null;
    if (found === null) return null;
    const isScript = found.tokenName !== undefined;
    const may = listOperationsOf(found.role).filter((name) => !isScript || tokenOperations.has(name));
    return { id: found.operatorId, name: found.name, role: found.role, may };
  }

  @FieldResolver(() => [OperatorPersonType], { description: 'All operators, the oldest first.' })
  async people(): Promise<readonly OperatorPersonType[]> {
    return (await this.everybody.list()).map(toPerson);
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorPeopleMutations {
  constructor(
    private readonly people: OperatorPeople,
    private readonly signIns: OperatorSignIn,
  ) {}

  @FieldResolver(() => Boolean, { description: 'Begins a session, by a cookie of its own. Attempts are counted.' })
  async signIn(
    @Arg('input', () => OperatorSignInInput, { description: 'Who signs in.' }) input: OperatorSignInInput,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    const { email, password, code } = input;
    const address = context.addressOfCaller;
    context.operators?.setCookie(await this.signIns.signIn({ email, password, code, address }));
    return true;
  }

  @FieldResolver(() => Boolean, { description: 'Ends the session at once.' })
  async signOut(@Ctx() context: OperatorContext): Promise<boolean> {
    await this.signIns.signOut(await requireOperator(context));
    context.operators?.clearCookie();
    return true;
  }

  @FieldResolver(() => Boolean, { description: 'Takes a code of the app, which is proof enough for ten minutes.' })
  async prove(
    @Arg('code', () => String, { description: 'The six digits that the app shows now.' }) code: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.signIns.prove(await requireOperator(context), { code, address: context.addressOfCaller });
    return true;
  }

  @FieldResolver(() => OperatorJoiningType, { description: 'Opens an invitation: what the app is to be given.' })
  startJoining(
    @Arg('token', () => String, { description: 'The part of the link after the #.' }) token: string,
  ): Promise<OperatorJoiningType> {
    return this.people.startJoining(token);
  }

  @FieldResolver(() => Boolean, { description: 'Uses an invitation, once, and begins a session.' })
  async join(
    @Arg('input', () => OperatorJoinInput, { description: 'Who it is.' }) input: OperatorJoinInput,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    context.operators?.setCookie(await this.people.join(input));
    return true;
  }

  @FieldResolver(() => String, { description: 'A link for a new operator, shown once, valid for a day and one use.' })
  async invite(
    @Arg('role', () => roleWords, { description: 'What the new operator will be there for.' }) role: OperatorRole,
    @Arg('reason', () => String, { description: 'For whom, and why: 3 to 191 characters.' }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<string> {
    return this.people.by(actorOf(await requireOperator(context))).invite(role, reason);
  }

  @FieldResolver(() => String, {
    description: 'A link by which an operator sets a new password and authenticator app.',
  })
  async renew(
    @Arg('id', () => ID, { description: 'The operator’s id.' }) id: string,
    @Arg('reason', () => String, { description: 'Why: 3 to 191 characters.' }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<string> {
    return this.people.by(actorOf(await requireOperator(context))).renew(id, reason);
  }

  @FieldResolver(() => Boolean, { description: 'Ends what an operator may do, at once. The last owner stays.' })
  async disable(
    @Arg('id', () => ID, { description: 'The operator’s id.' }) id: string,
    @Arg('reason', () => String, { description: 'Why: 3 to 191 characters.' }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.people.by(actorOf(await requireOperator(context))).disable(id, reason);
    return true;
  }
}

function toPerson({ id, email, name, role, createdAtMs, disabledAtMs }: OperatorFacts): OperatorPersonType {
  return { id, email, name, role, createdAt: createdAtMs, disabledAt: disabledAtMs };
}
