import { IsOptional, MaxLength } from 'class-validator';
import { Arg, Ctx, Field, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { Access } from '../schema/access.js';
import { type GraphqlContext, requireSession } from '../schema/graphql-context.js';
import { toPasskeyFields } from '../schema/passkey-fields.js';
import { DateTimeScalar } from '../schema/scalars.js';
import type { FactorChange, Factors } from './factors.js';
import type { FreshFactors } from './fresh-factors.js';
import { PasskeyType } from './passkeys/passkeys.graphql.js';

// The rules that a person is told about are elsewhere; these bounds only keep nonsense from being hashed.
const codeLengthMax = 100;
const textLengthMax = 1_000;

@ObjectType('Factors', { description: 'An account’s factors other than its password.' })
class FactorsType {
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Since when a sign-in asks for a code of the authenticator app; null: it does not.',
  })
  authenticatorAppSince!: number | null;

  @Field(() => Int, { description: 'How many recovery codes are left, of ten.' })
  recoveryCodesLeft!: number;

  @Field(() => [PasskeyType], { description: 'Its passkeys, the first made first; at most 20.' })
  passkeys!: PasskeyType[];

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When all of them go, since somebody has proved by mail to have lost them; null: they stay.',
  })
  recoveryDueAt!: number | null;
}

@ObjectType('NewAuthenticatorApp', { description: 'What an authenticator app is to be given. Shown once.' })
class NewAuthenticatorAppType {
  @Field(() => String, { description: 'The secret in Base32, to be typed into the app.' })
  secret!: string;

  @Field(() => String, { description: 'The same as an `otpauth:` address, to be opened, or shown as a QR code.' })
  uri!: string;
}

@InputType('ConfirmAuthenticatorAppInput', { description: 'The proof that an app has the secret.' })
class ConfirmAuthenticatorAppInput {
  @MaxLength(codeLengthMax)
  @Field(() => String, { description: 'The six digits that the app shows.' })
  code!: string;
}

@InputType('ProveFactorInput', {
  description: 'What verifies the person again. Send the one that was asked for; the other is left out, or null.',
})
class ProveFactorInput {
  @IsOptional()
  @MaxLength(codeLengthMax)
  @Field(() => String, { nullable: true, description: 'A code of the authenticator app, or a recovery code.' })
  code?: string | null;

  @IsOptional()
  @MaxLength(textLengthMax)
  @Field(() => String, { nullable: true, description: 'The password, where the account has no factor.' })
  password?: string | null;
}

@Resolver()
export class FactorsResolver {
  constructor(
    private readonly factorService: Factors,
    private readonly freshFactors: FreshFactors,
  ) {}

  @Access({ keys: 'none', members: 'person', isViewable: true })
  @Query(() => FactorsType, { description: 'The account’s factors other than its password.' })
  async factors(@Ctx() context: GraphqlContext): Promise<FactorsType> {
    const { accountId } = requireSession(context);
    const { authenticatorAppSinceMs, recoveryCodesLeft, recoveryDueAtMs, passkeys } =
      await this.factorService.describe(accountId);
    return {
      authenticatorAppSince: authenticatorAppSinceMs,
      recoveryCodesLeft,
      passkeys: passkeys.map(toPasskeyFields),
      recoveryDueAt: recoveryDueAtMs,
    };
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description:
      'Verifies the person again; for ten minutes this session may do what is refused with the reason `fresh_factor_required`. After 10 wrong codes or passwords in 15 minutes one has to wait.',
  })
  async proveFactor(
    @Arg('input', () => ProveFactorInput, { description: 'The proof.' }) { code, password }: ProveFactorInput,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const proof = { code: code ?? null, password: password ?? null };
    await this.freshFactors.prove(requireSession(context), proof, context.addressOfCaller);
    return true;
  }

  @Access({ keys: 'none', members: 'person', proof: 'always' })
  @Mutation(() => NewAuthenticatorAppType, {
    description:
      'Begins an authenticator app; it is asked for nothing before `confirmAuthenticatorApp`, which has an hour.',
  })
  async startAuthenticatorApp(@Ctx() context: GraphqlContext): Promise<NewAuthenticatorAppType> {
    return this.factorService.startApp(requireSession(context).accountId);
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => [String], {
    description:
      'Puts the app in force by its first code: from then on every sign-in asks for one. Answers ten recovery codes, shown once and good once each; earlier ones are worth nothing any more.',
  })
  async confirmAuthenticatorApp(
    @Arg('input', () => ConfirmAuthenticatorAppInput, { description: 'The proof.' })
    { code }: ConfirmAuthenticatorAppInput,
    @Ctx() context: GraphqlContext,
  ): Promise<string[]> {
    return [...(await this.factorService.confirmApp(changeOf(context), code))];
  }

  @Access({ keys: 'none', members: 'person', proof: 'always' })
  @Mutation(() => Boolean, {
    description: 'Removes the authenticator app, and with the last factor of the account its recovery codes.',
  })
  async removeAuthenticatorApp(@Ctx() context: GraphqlContext): Promise<boolean> {
    await this.factorService.removeApp(requireSession(context).accountId);
    return true;
  }

  @Access({ keys: 'none', members: 'person', proof: 'always' })
  @Mutation(() => [String], {
    description: 'Answers ten new recovery codes, shown once; the earlier ones are worth nothing any more.',
  })
  async renewRecoveryCodes(@Ctx() context: GraphqlContext): Promise<string[]> {
    return [...(await this.factorService.renewRecoveryCodes(requireSession(context).accountId))];
  }
}

function changeOf(context: GraphqlContext): FactorChange {
  return { viewer: requireSession(context), address: context.addressOfCaller };
}
