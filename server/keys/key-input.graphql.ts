import { ArrayMaxSize, IsOptional, MaxLength } from 'class-validator';
import { Field, InputType, Int } from 'type-graphql';
import type { KeyScope } from '../kernel/api-key.js';
import type { SpendPeriod } from '../kernel/spend-period.js';
import { apiKeyScopes, spendPeriods } from '../schema/api-key-type.js';
import { CreditsScalar, DateTimeScalar } from '../schema/scalars.js';

// The rules that a person is told about are `key-settings.ts`; these bounds only keep nonsense away from them.
const textLengthMax = 1_000;
const listLengthMax = 1_000;

@InputType('ApiKeyInput', {
  description:
    'The settings of a key. A field that is left out stays as it is, or, for a new key, has its default; null means the default.',
})
export class ApiKeyInput {
  @IsOptional()
  @MaxLength(textLengthMax)
  @Field(() => String, {
    nullable: true,
    description: 'A name to tell it by: 1 to 100 characters. A new key needs one; null: as it is.',
  })
  name?: string | null;

  @IsOptional()
  @ArrayMaxSize(listLengthMax)
  @Field(() => [apiKeyScopes], {
    nullable: true,
    description: 'What it is for. By default, and with null: `CHAT` and `USAGE_READ`.',
  })
  scopes?: KeyScope[] | null;

  @IsOptional()
  @ArrayMaxSize(listLengthMax)
  @MaxLength(textLengthMax, { each: true })
  @Field(() => [String], { nullable: true, description: 'The models that it may call, 1 to 100. By default all.' })
  models?: string[] | null;

  @IsOptional()
  @ArrayMaxSize(listLengthMax)
  @MaxLength(textLengthMax, { each: true })
  @Field(() => [String], { nullable: true, description: 'The providers that may answer it, 1 to 100. By default all.' })
  providers?: string[] | null;

  @IsOptional()
  @Field(() => CreditsScalar, {
    nullable: true,
    description:
      'The most that its calls of one period may cost, 0 and more. By default the balance is the only limit.',
  })
  spendLimit?: number | null;

  @IsOptional()
  @Field(() => spendPeriods, { nullable: true, description: 'How often the limit is reset; required with a limit.' })
  spendPeriod?: SpendPeriod | null;

  @IsOptional()
  @Field(() => Int, {
    nullable: true,
    description: 'Its own requests per minute, 1 up to the account’s. By default the account’s.',
  })
  requestsPerMinute?: number | null;

  @IsOptional()
  @Field(() => Int, {
    nullable: true,
    description: 'Its own tokens per minute, 1 up to the account’s, if that has any. By default the account’s.',
  })
  tokensPerMinute?: number | null;

  @IsOptional()
  @ArrayMaxSize(listLengthMax)
  @MaxLength(textLengthMax, { each: true })
  @Field(() => [String], {
    nullable: true,
    description:
      'The addresses and networks that it may be used from, 1 to 100, such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32. By default any.',
  })
  addresses?: string[] | null;

  @IsOptional()
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ends by itself. By default never.' })
  expiresAt?: number | null;
}

/** What is wanted of a key, in the ledger's units. */
export function toSettings({ spendLimit, expiresAt, ...others }: ApiKeyInput) {
  return { ...others, spendLimitMillicredits: spendLimit, expiresAtMs: expiresAt };
}
