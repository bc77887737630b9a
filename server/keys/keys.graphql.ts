import { MaxLength } from 'class-validator';
import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { ApiKeyType, toApiKeyType } from '../graphql/api-key-type.js';
import { type GraphqlContext, requireViewer } from '../graphql/graphql-context.js';
import type { ApiKeyService } from './api-key-service.js';

@InputType('ApiKeyInput', { description: 'What a key is to be.' })
class ApiKeyInput {
  @MaxLength(1_000)
  @Field(() => String, { description: 'A name to tell it by: 1 to 100 characters.' })
  name!: string;
}

@ObjectType('CreatedApiKey', { description: 'A key that has just been made.' })
class CreatedApiKeyType {
  @Field(() => ApiKeyType, { description: 'The key.' })
  apiKey!: ApiKeyType;

  @Field(() => String, {
    description:
      'The secret to send to the proxy, `sk-tg-…`. It is shown now and never again; we keep only a hash of it.',
  })
  secret!: string;
}

@Resolver()
export class KeysResolver {
  constructor(private readonly keys: ApiKeyService) {}

  @Query(() => [ApiKeyType], { description: 'The account’s keys, newest first, revoked ones included.' })
  async apiKeys(@Ctx() context: GraphqlContext): Promise<ApiKeyType[]> {
    return (await this.keys.listKeys(requireViewer(context).accountId)).map(toApiKeyType);
  }

  @Mutation(() => CreatedApiKeyType, {
    description: 'Makes a key. `CONFLICT` when the account has as many in force as it may have: revoke one first.',
  })
  async createApiKey(
    @Arg('input', () => ApiKeyInput, { description: 'What the key is to be.' }) input: ApiKeyInput,
    @Ctx() context: GraphqlContext,
  ): Promise<CreatedApiKeyType> {
    const { apiKey, secret } = await this.keys.createKey(requireViewer(context).accountId, input.name);
    return { apiKey: toApiKeyType(apiKey), secret };
  }

  @Mutation(() => ApiKeyType, {
    description: 'Ends a key for good: from now on no call can be paid with it. Revoking it again changes nothing.',
  })
  async revokeApiKey(
    @Arg('id', () => ID, { description: 'The key’s id.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<ApiKeyType> {
    return toApiKeyType(await this.keys.revokeKey(requireViewer(context).accountId, id));
  }
}
