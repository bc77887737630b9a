import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import { Access } from '../../schema/access.js';
import { type GraphqlContext, requireSession } from '../../schema/graphql-context.js';
import { MadePasskeyFields, PasskeyFields, SignedPasskeyFields, toPasskeyFields } from '../../schema/passkey-fields.js';
import type { Factors } from '../factors.js';
import type { FreshFactors } from '../fresh-factors.js';

@ObjectType('Passkey', { description: 'A passkey, by which its owner signs in without a password.' })
export class PasskeyType extends PasskeyFields {}

@ObjectType('AddedPasskey', { description: 'A passkey that was just added.' })
class AddedPasskeyType {
  @Field(() => PasskeyType, { description: 'The passkey.' })
  passkey!: PasskeyType;

  @Field(() => [String], {
    description:
      'Ten recovery codes, shown once, when it is the account’s first factor; else none, and earlier ones stay.',
  })
  recoveryCodes!: string[];
}

@InputType('AddPasskeyInput', { description: 'A passkey that a browser has made.' })
class AddPasskeyInput extends MadePasskeyFields {}

@InputType('ProvePasskeyInput', { description: 'What a passkey has signed.' })
class ProvePasskeyInput extends SignedPasskeyFields {}

@Resolver()
export class PasskeysResolver {
  constructor(
    private readonly factors: Factors,
    private readonly freshFactors: FreshFactors,
  ) {}

  @Access({ keys: 'none', members: 'person', proof: 'always' })
  @Mutation(() => String, {
    description:
      'Begins a passkey: options for `navigator.credentials.create`, as JSON. `addPasskey` of this session has ten minutes, and one try.',
  })
  async startPasskey(@Ctx() context: GraphqlContext): Promise<string> {
    return this.factors.startPasskey(requireSession(context));
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => AddedPasskeyType, {
    description: 'Adds the passkey that a browser has made; an account has up to 20.',
  })
  async addPasskey(
    @Arg('input', () => AddPasskeyInput, { description: 'The passkey.' }) input: AddPasskeyInput,
    @Ctx() context: GraphqlContext,
  ): Promise<AddedPasskeyType> {
    const { passkey, recoveryCodes } = await this.factors.addPasskey(requireSession(context), input);
    return { passkey: toPasskeyFields(passkey), recoveryCodes: [...recoveryCodes] };
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => PasskeyType, { description: 'Calls a passkey something else.' })
  async renamePasskey(
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
    @Arg('name', () => String, { description: 'What to call it: 1 to 100 characters.' }) name: string,
    @Ctx() context: GraphqlContext,
  ): Promise<PasskeyType> {
    return toPasskeyFields(await this.factors.renamePasskey(requireSession(context).accountId, id, name));
  }

  @Access({ keys: 'none', members: 'person', proof: 'always' })
  @Mutation(() => Boolean, {
    description: 'Removes a passkey, and with the last factor of the account its recovery codes.',
  })
  async removePasskey(
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    await this.factors.removePasskey(requireSession(context).accountId, id);
    return true;
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => String, {
    description:
      'Begins a fresh proof by a passkey of the account: options for `navigator.credentials.get`, as JSON. `provePasskey` of this session has ten minutes, and one try.',
  })
  async startPasskeyProof(@Ctx() context: GraphqlContext): Promise<string> {
    return this.freshFactors.startPasskeyProof(requireSession(context));
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, { description: 'Verifies the person again by a passkey, as `proveFactor` does.' })
  async provePasskey(
    @Arg('input', () => ProvePasskeyInput, { description: 'What it has signed.' }) { response }: ProvePasskeyInput,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    await this.freshFactors.provePasskey(requireSession(context), response);
    return true;
  }
}
