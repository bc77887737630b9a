import { IsBoolean } from 'class-validator';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { type KeyScope, mayWrite } from '../kernel/api-key.js';
import type { Clock } from '../kernel/clock.js';
import { isId } from '../kernel/ids.js';
import { type SpendPeriod, spanAt } from '../kernel/spend-period.js';
import { Access, builders, everybody, whenKeyWrites, whenScopesWrite } from '../schema/access.js';
import { ApiKeyType, toApiKeyType } from '../schema/api-key-type.js';
import { createConnectionType, PageArgs, readPage, toConnection } from '../schema/connection.js';
import {
  findIdempotencyKey,
  type GraphqlContext,
  requireFreshProof,
  requireViewer,
} from '../schema/graphql-context.js';
import { CreditsScalar, DateTimeScalar } from '../schema/scalars.js';
import { mayPersonChange } from './acting-person.js';
import type { ApiKeyService, KeyActor, KeyChange } from './api-key-service.js';
import { ApiKeyInput, toSettings } from './key-input.graphql.js';
import type { SealHolder } from './sealed-secret.js';

const idempotencyWords =
  'A text of your own, 1 to 255 characters, or the header `Idempotency-Key`: the same request again within 15 minutes, by the same session or key, answers the same key and secret. `CONFLICT` for other input, and for 24 hours once the secret is no longer shown. null: none.';

@ObjectType('CreatedApiKey', { description: 'A key that has just been made, or has just got a new secret.' })
class CreatedApiKeyType {
  @Field(() => ApiKeyType, { description: 'The key.' })
  apiKey!: ApiKeyType;

  @Field(() => String, {
    description:
      'The secret to send to the proxy, `sk-tg-…`. It is shown now and never again; we keep only a hash of it.',
  })
  secret!: string;
}

const ApiKeyConnectionType = createConnectionType(ApiKeyType, 'ApiKey');

@ArgsType()
class KeysArgs extends PageArgs {
  @IsBoolean()
  @Field(() => Boolean, { defaultValue: false, description: 'Whether revoked ones are wanted, too.' })
  includeRevoked!: boolean;
}

/** Knows what each key of an account was charged in the running periods; the ledger does. */
export interface KeySpendSource {
  sumKeySpend(accountId: string, nowMs: number): Promise<ReadonlyMap<string, Readonly<Record<SpendPeriod, number>>>>;
}

/** Knows what people are called. */
export interface NamesOfPeople {
  findName(personId: string): Promise<string | null>;
}

@Resolver(() => ApiKeyType)
export class KeysResolver {
  constructor(
    private readonly keyService: ApiKeyService,
    private readonly spend: KeySpendSource,
    private readonly clock: Clock,
    private readonly people: NamesOfPeople,
  ) {}

  @Access({ keys: ['usage:read', 'keys:write'], members: everybody, isViewable: true })
  @Query(() => ApiKeyType, {
    nullable: true,
    description: 'One of the account’s keys, also a revoked one; null: there is none.',
  })
  async apiKey(
    @Arg('id', () => ID, { description: 'The key’s id.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<ApiKeyType | null> {
    const key = await this.keyService.findKey(requireViewer(context).accountId, id);
    return key && toApiKeyType(key);
  }

  @Access({ keys: ['usage:read', 'keys:write'], members: everybody, isViewable: true })
  @Query(() => ApiKeyConnectionType, {
    description: 'The account’s keys page by page, newest first; revoked ones only when they are asked for.',
  })
  async keys(@Args(() => KeysArgs) page: KeysArgs, @Ctx() context: GraphqlContext) {
    const { accountId } = requireViewer(context);
    const asked = readPage(page, (text) => isId('key', text));
    const wanted = { first: asked.first, beforeId: asked.afterKey, isWithRevoked: page.includeRevoked };
    const found = await this.keyService.listKeyPage(accountId, wanted);
    return toConnection(found, asked, { toNode: toApiKeyType, keyOf: ({ id }) => id });
  }

  @Access({ keys: ['usage:read', 'keys:write'], members: everybody, isViewable: true })
  @Query(() => [ApiKeyType], {
    description:
      'The account’s newest 1,000 keys, newest first, revoked ones included. `keys` lists them page by page.',
  })
  async apiKeys(@Ctx() context: GraphqlContext): Promise<ApiKeyType[]> {
    return (await this.keyService.listKeys(requireViewer(context).accountId)).map(toApiKeyType);
  }

  // Which keys a developer may make and change, `keys/acting-person.ts` says.
  @Access({ keys: ['keys:write'], members: builders, proof: whenScopesWrite })
  @Mutation(() => CreatedApiKeyType, {
    description: 'Makes a key. `CONFLICT` when the account has as many in force as it may have: revoke one first.',
  })
  async createApiKey(
    @Arg('input', () => ApiKeyInput, { description: 'The settings of the key.' }) input: ApiKeyInput,
    @Arg('idempotencyKey', () => String, { nullable: true, description: idempotencyWords })
    idempotencyKey: string | null,
    @Ctx() context: GraphqlContext,
  ): Promise<CreatedApiKeyType> {
    const { accountId } = requireViewer(context);
    const holder = findHolder(context, idempotencyKey);
    const settings = { ...toSettings(input), name: input.name ?? '' };
    const { apiKey, secret } = await this.keyService.createKey(accountId, settings, toActor(context), holder);
    return { apiKey: toApiKeyType(apiKey), secret };
  }

  @Access({ keys: ['keys:write'], members: builders, proof: whenKeyWrites })
  @Mutation(() => ApiKeyType, {
    description: 'Changes what a key may do, from the next call on. What is left out of the input stays as it is.',
  })
  async updateApiKey(
    @Arg('id', () => ID, { description: 'The key’s id.' }) id: string,
    @Arg('input', () => ApiKeyInput, { description: 'The settings of the key.' }) input: ApiKeyInput,
    @Ctx() context: GraphqlContext,
  ): Promise<ApiKeyType> {
    const change = await this.#proveChange(context, id, input.scopes);
    return toApiKeyType(await this.keyService.updateKey(change, toSettings(input)));
  }

  @Access({ keys: ['keys:write'], members: builders, proof: whenKeyWrites })
  @Mutation(() => CreatedApiKeyType, {
    description:
      'Gives a key a new secret; its id and all its settings stay. The old secret works for the grace; of several rotations within a grace only the last old one does.',
  })
  async rotateApiKey(
    @Arg('id', () => ID, { description: 'The key’s id.' }) id: string,
    @Arg('graceSeconds', () => Int, {
      nullable: true,
      description: 'How long the old secret works on: 0 to 604,800 seconds (7 days). By default, and with null: a day.',
    })
    graceSeconds: number | null,
    @Arg('idempotencyKey', () => String, { nullable: true, description: idempotencyWords })
    idempotencyKey: string | null,
    @Ctx() context: GraphqlContext,
  ): Promise<CreatedApiKeyType> {
    const holder = findHolder(context, idempotencyKey);
    const change = await this.#proveChange(context, id);
    const { apiKey, secret } = await this.keyService.rotateKey(change, graceSeconds ?? undefined, holder);
    return { apiKey: toApiKeyType(apiKey), secret };
  }

  @Access({ keys: ['keys:write'], members: builders })
  @Mutation(() => ApiKeyType, {
    description: 'Ends a key for good: from now on no call can be paid with it. Revoking it again changes nothing.',
  })
  async revokeApiKey(
    @Arg('id', () => ID, { description: 'The key’s id.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<ApiKeyType> {
    const { accountId } = requireViewer(context);
    return toApiKeyType(await this.keyService.revokeKey({ accountId, keyId: id, ...toActor(context) }));
  }

  // Asks for a proof by what the key may do before the change or after it: who leaves the scopes out has its secret, and lifts its limits.
  async #proveChange(context: GraphqlContext, keyId: string, wanted?: KeyScope[] | null): Promise<KeyChange> {
    const { accountId } = requireViewer(context);
    const key = await this.keyService.findKey(accountId, keyId);
    const isProved = mayWrite(key?.scopes) || mayWrite(wanted);
    if (isProved) await requireFreshProof(context);
    const { by, person } = toActor(context);
    return { accountId, keyId, by, person: person && { ...person, isProved } };
  }

  @FieldResolver(() => String, {
    description:
      'What the person who made it is called, by hand or by a key of theirs; null: their account is deleted.',
    nullable: true,
  })
  async madeBy(@Root() { madeBy }: ApiKeyType, @Ctx() context: GraphqlContext): Promise<string | null> {
    const personId = madeBy ?? requireViewer(context).accountId;
    return context.loadOnce(`name of ${personId}`, () => this.people.findName(personId));
  }

  @FieldResolver(() => Boolean, {
    description:
      'Whether the role of the signed-in person lets them change, rotate and revoke it; false for an API key.',
  })
  mayChange(@Root() key: ApiKeyType, @Ctx() context: GraphqlContext): boolean {
    const { person } = toActor(context);
    return person != null && mayPersonChange(person, { ...key, accountId: requireViewer(context).accountId });
  }

  @FieldResolver(() => CreditsScalar, {
    description:
      'What its calls that began in the running period were charged; without a limit, in the running month. What running calls have reserved is not part of it.',
  })
  async spentInPeriod(@Root() key: ApiKeyType, @Ctx() context: GraphqlContext): Promise<number> {
    const { accountId } = requireViewer(context);
    const sums = await context.loadOnce('key spend', () => this.spend.sumKeySpend(accountId, this.clock.nowMs()));
    return sums.get(key.id)?.[key.spendPeriod ?? 'month'] ?? 0;
  }

  @FieldResolver(() => DateTimeScalar, {
    nullable: true,
    description: 'When its limit is reset; null: it has none.',
  })
  spendResetsAt(@Root() { spendPeriod }: ApiKeyType): number | null {
    return spendPeriod && spanAt(spendPeriod, this.clock.nowMs()).endsAtMs;
  }
}

function toActor({ viewer }: GraphqlContext): Required<KeyActor> {
  const { key: by = null, personId = null, role = null } = viewer ?? {};
  return { by, person: personId !== null && role !== null ? { personId, role } : null };
}

function findHolder(context: GraphqlContext, argument: string | null): SealHolder | null {
  const idempotencyKey = findIdempotencyKey(context, argument);
  return idempotencyKey === null || context.token === null ? null : { token: context.token, idempotencyKey };
}
