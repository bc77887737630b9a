import { Field, ID, ObjectType } from 'type-graphql';
import type { ApiKey } from '../keys/api-key-service.js';
import { DateTimeScalar } from './scalars.js';

/** Here and not in `keys/`, because the receipt of a call shows its key, too. */
@ObjectType('ApiKey', {
  description: 'A key for calling the proxy. The secret itself is shown once, when it is created.',
})
export class ApiKeyType {
  @Field(() => ID, { description: 'The id, `key_…`. Not secret.' })
  id!: string;

  @Field(() => String, { description: 'What its owner calls it.' })
  name!: string;

  @Field(() => String, { description: 'The beginning and the end of the secret, to tell it from others.' })
  maskedSecret!: string;

  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  createdAt!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was last used, to the minute; null: never.' })
  lastUsedAt!: number | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was revoked; null: it is in force.' })
  revokedAt!: number | null;
}

/** What is public of a key. */
export function toApiKeyType(key: ApiKey): ApiKeyType {
  return {
    id: key.id,
    name: key.name,
    maskedSecret: key.maskedSecret,
    createdAt: key.createdAtMs,
    lastUsedAt: key.lastUsedAtMs,
    revokedAt: key.revokedAtMs,
  };
}
