import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import type { ApiKey, KeyScope } from '../kernel/api-key.js';
import { CreditsScalar, DateTimeScalar } from './scalars.js';

// The names on the wire stand on the left, here and below.
export const apiKeyScopes = {
  CHAT: 'chat',
  USAGE_READ: 'usage:read',
  KEYS_WRITE: 'keys:write',
  BILLING_WRITE: 'billing:write',
} as const satisfies Record<string, KeyScope>;
registerEnumType(apiKeyScopes, {
  name: 'ApiKeyScope',
  description: 'What a key is for. Each operation of this schema says which of them opens it to a key.',
  valuesConfig: {
    CHAT: { description: '`chat`: calling the proxy.' },
    USAGE_READ: { description: '`usage:read`: reading the balance, the calls, the use and the statement.' },
    KEYS_WRITE: {
      description: '`keys:write`: making, changing, rotating and revoking keys that may do no more than itself.',
    },
    BILLING_WRITE: { description: '`billing:write`: buying credits.' },
  },
});

export const spendPeriods = { DAY: 'day', WEEK: 'week', MONTH: 'month' } as const satisfies Record<
  string,
  NonNullable<ApiKey['spendPeriod']>
>;
registerEnumType(spendPeriods, {
  name: 'SpendPeriod',
  description: 'How often a spend limit begins anew.',
  valuesConfig: {
    DAY: { description: 'Each day at 00:00 UTC.' },
    WEEK: { description: 'Each Monday at 00:00 UTC.' },
    MONTH: { description: 'On the first of each month at 00:00 UTC.' },
  },
});

/** Here and not in `keys/`, because the receipt of a call shows its key, too. */
@ObjectType('ApiKey', {
  description: 'A key for calling the proxy. The secret itself is shown once, when it is created.',
})
export class ApiKeyType {
  @Field(() => ID, { description: 'The id, `key_…`. Not secret.' })
  id!: string;

  @Field(() => String, { description: 'What its owner calls it.' })
  name!: string;

  /** The person’s id; the field of this name is resolved to what they are called. */
  madeBy!: string | null;

  @Field(() => String, { description: 'The beginning and the end of the secret, to tell it from others.' })
  maskedSecret!: string;

  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  createdAt!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was last used, to the minute; null: never.' })
  lastUsedAt!: number | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was revoked; null: it is in force.' })
  revokedAt!: number | null;

  @Field(() => [apiKeyScopes], { description: 'What it is for.' })
  scopes!: readonly KeyScope[];

  @Field(() => [String], { nullable: true, description: 'The models that it may call; null: all.' })
  models!: readonly string[] | null;

  @Field(() => [String], { nullable: true, description: 'The providers that may answer it; null: all.' })
  providers!: readonly string[] | null;

  @Field(() => CreditsScalar, {
    nullable: true,
    description: 'The most that its calls of one period may cost; null: no limit but the balance.',
  })
  spendLimit!: number | null;

  @Field(() => spendPeriods, { nullable: true, description: 'How often the limit begins anew; null: there is none.' })
  spendPeriod!: ApiKey['spendPeriod'];

  @Field(() => Int, {
    nullable: true,
    description: 'How many requests per minute it may make; null: as many as the account.',
  })
  requestsPerMinute!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'How many tokens per minute its calls may use; null: as many as the account’s.',
  })
  tokensPerMinute!: number | null;

  @Field(() => [String], {
    nullable: true,
    description: 'The addresses and networks (CIDR) that it may be used from; null: any.',
  })
  addresses!: readonly string[] | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ends by itself; null: never.' })
  expiresAt!: number | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Until when the secret before the last rotation works too; null: there was no rotation with a grace.',
  })
  graceEndsAt!: number | null;
}

/** What is public of a key. */
export function toApiKeyType(key: ApiKey): ApiKeyType {
  return {
    id: key.id,
    name: key.name,
    madeBy: key.madeBy,
    maskedSecret: key.maskedSecret,
    createdAt: key.createdAtMs,
    lastUsedAt: key.lastUsedAtMs,
    revokedAt: key.revokedAtMs,
    scopes: key.scopes,
    models: key.models,
    providers: key.providers,
    spendLimit: key.spendLimitMillicredits,
    spendPeriod: key.spendPeriod,
    requestsPerMinute: key.requestsPerMinute,
    tokensPerMinute: key.tokensPerMinute,
    addresses: key.addresses,
    expiresAt: key.expiresAtMs,
    graceEndsAt: key.graceEndsAtMs,
  };
}
