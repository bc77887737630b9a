import { MaxLength } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, ObjectType, Resolver } from 'type-graphql';
import { MadePasskeyFields, PasskeyFields, SignedPasskeyFields, toPasskeyFields } from '../../schema/passkey-fields.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import type { OperatorPasskeys } from './operator-passkeys.js';

@ObjectType('OperatorPasskey', { description: 'A passkey, by which an operator signs in without password and code.' })
class OperatorPasskeyType extends PasskeyFields {}

@ObjectType('OperatorPasskeySignIn', { description: 'A sign-in by a passkey that was begun.' })
class OperatorPasskeySignInType {
  @Field(() => String, { description: 'Options for `navigator.credentials.get`, as JSON.' })
  options!: string;

  @Field(() => String, { description: 'To be sent with the answer.' })
  token!: string;
}

@InputType('OperatorPasskeyInput', { description: 'A passkey that a browser has made.' })
class OperatorPasskeyInput extends MadePasskeyFields {}

@InputType('OperatorPasskeySignInInput', { description: 'What a passkey has signed.' })
class OperatorPasskeySignInInput extends SignedPasskeyFields {
  @MaxLength(100)
  @Field(() => String, { description: 'The token that it was begun with.' })
  token!: string;
}

@InputType('OperatorPasskeyProofInput', { description: 'What a passkey has signed.' })
class OperatorPasskeyProofInput extends SignedPasskeyFields {}

@Resolver(() => OperatorQueryType)
export class OperatorPasskeyQueries {
  constructor(private readonly own: OperatorPasskeys) {}

  @FieldResolver(() => [OperatorPasskeyType], { description: 'Your own passkeys, the first made first.' })
  async passkeys(@Ctx() context: OperatorContext): Promise<readonly OperatorPasskeyType[]> {
    return (await this.own.list(await requireOperator(context))).map(toPasskeyFields);
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorPasskeyMutations {
  constructor(private readonly own: OperatorPasskeys) {}

  @FieldResolver(() => String, {
    description: 'Begins a passkey: options for `navigator.credentials.create`, as JSON, for ten minutes and one try.',
  })
  async startPasskey(@Ctx() context: OperatorContext): Promise<string> {
    return this.own.start(await requireOperator(context));
  }

  @FieldResolver(() => OperatorPasskeyType, { description: 'Adds a passkey of your own; an operator has up to 20.' })
  async addPasskey(
    @Arg('input', () => OperatorPasskeyInput, { description: 'The passkey.' }) input: OperatorPasskeyInput,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorPasskeyType> {
    return toPasskeyFields(await this.own.add(await requireOperator(context), input));
  }

  @FieldResolver(() => Boolean, { description: 'Removes a passkey of your own.' })
  async removePasskey(
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.own.remove(await requireOperator(context), id);
    return true;
  }

  @FieldResolver(() => String, {
    description: 'Begins a proof by a passkey: options for `navigator.credentials.get`, as JSON.',
  })
  async startPasskeyProof(@Ctx() context: OperatorContext): Promise<string> {
    return this.own.startProof(await requireOperator(context));
  }

  @FieldResolver(() => Boolean, { description: 'Takes what a passkey has signed, which is proof as a code is.' })
  async provePasskey(
    @Arg('input', () => OperatorPasskeyProofInput, { description: 'What it has signed.' })
    { response }: OperatorPasskeyProofInput,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.own.prove(await requireOperator(context), response);
    return true;
  }

  @FieldResolver(() => OperatorPasskeySignInType, { description: 'Begins a sign-in by a passkey. They are counted.' })
  startPasskeySignIn(@Ctx() context: OperatorContext): Promise<OperatorPasskeySignInType> {
    return this.own.startSignIn(context.addressOfCaller);
  }

  @FieldResolver(() => Boolean, {
    description: 'Begins the session of the operator whose passkey has signed, by a cookie of its own.',
  })
  async finishPasskeySignIn(
    @Arg('input', () => OperatorPasskeySignInInput, { description: 'What it has signed.' })
    { token, response }: OperatorPasskeySignInInput,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    const address = context.addressOfCaller;
    context.operators?.setCookie(await this.own.finishSignIn({ token, response, address }));
    return true;
  }
}
