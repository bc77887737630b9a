import { Args, Ctx, Field, FieldResolver, ID, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import { isId } from '../../kernel/ids.js';
import { Access, everybody } from '../../schema/access.js';
import { ApiKeyType, toApiKeyType } from '../../schema/api-key-type.js';
import { createConnectionType, PageArgs, readPage, toConnection } from '../../schema/connection.js';
import { type GraphqlContext, requireViewer } from '../../schema/graphql-context.js';
import { DateTimeScalar } from '../../schema/scalars.js';
import type { KeySource } from '../usage.graphql.js';
import type { KeptRefusal, RefusalReader } from './refusal-reader.js';

@ObjectType('Refusal', {
  description:
    'Requests that were refused before they became a call, similar ones of the same seconds as one. They cost nothing.',
})
export class RefusalType {
  @Field(() => ID, { description: 'The id that the first of them was answered with as `x-request-id`.' })
  id!: string;

  @Field(() => DateTimeScalar, { description: 'When the last of them came.' })
  at!: number;

  @Field(() => Int, { description: 'How many there were.' })
  times!: number;

  @Field(() => Int, { description: 'The HTTP status of the answer.' })
  status!: number;

  @Field(() => String, { description: 'The code of the error, as `error.code` of the answer.' })
  code!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The model that was asked for; null: the request was not read that far.',
  })
  model!: string | null;

  @Field(() => String, { nullable: true, description: 'The field of the request that was at fault; null: none alone.' })
  param!: string | null;

  /** Not public itself: `apiKey` is. */
  keyId!: string;
}

const RefusalConnectionType = createConnectionType(RefusalType, 'Refusal');

@Resolver(() => RefusalType)
export class RefusalsResolver {
  constructor(
    private readonly reader: Pick<RefusalReader, 'listRefusals'>,
    private readonly keys: KeySource,
  ) {}

  @Access({ keys: ['usage:read'], members: everybody, isViewable: true })
  @Query(() => RefusalConnectionType, {
    description:
      'What the account’s requests were refused for: the newest 200 of the last 30 days, without what was asked.',
  })
  async refusals(@Args(() => PageArgs) page: PageArgs, @Ctx() context: GraphqlContext) {
    const { accountId } = requireViewer(context);
    const asked = readPage(page, (text) => isId('call', text));
    const found = await this.reader.listRefusals(accountId, { first: asked.first, beforeId: asked.afterKey });
    return toConnection(found, asked, { toNode: toRefusalType, keyOf: ({ id }) => id });
  }

  @FieldResolver(() => ApiKeyType, {
    nullable: true,
    description: 'The key that was used; null: it was asked on the dashboard’s playground, without a key.',
  })
  async apiKey(@Root() { keyId }: RefusalType, @Ctx() context: GraphqlContext): Promise<ApiKeyType | null> {
    const { accountId } = requireViewer(context);
    const key = await context.loadOnce(`key ${keyId}`, () => this.keys.findKey(accountId, keyId));
    return key && toApiKeyType(key);
  }
}

/** A refusal by its names in the schema. */
export function toRefusalType({
  id,
  keyId,
  lastAtMs,
  times,
  status,
  errorCode,
  model,
  param,
}: KeptRefusal): RefusalType {
  return { id, keyId, at: lastAtMs, times, status, code: errorCode, model, param };
}
