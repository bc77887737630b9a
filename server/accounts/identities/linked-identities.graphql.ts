import { Arg, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { AppError } from '../../kernel/app-error.js';
import { Access } from '../../schema/access.js';
import { type GraphqlContext, requireSession } from '../../schema/graphql-context.js';
import { DateTimeScalar } from '../../schema/scalars.js';
import { ProviderFaultError } from './identity-provider.js';
import type { LinkedIdentities, LinkedIdentity } from './linked-identities.js';
import type { ProviderSignIn } from './provider-sign-in.js';

@ObjectType('LinkedIdentity', { description: 'Somebody at another provider who may sign in to the account.' })
class LinkedIdentityType {
  @Field(() => ID, { description: 'The id, `iden_…`. Not secret.' })
  id!: string;

  @Field(() => String, { description: 'The id of the provider, also of one that is no longer in the settings.' })
  provider!: string;

  @Field(() => String, { description: 'What they are known by there: an address or a name.' })
  label!: string;

  @Field(() => DateTimeScalar, { description: 'When it was linked.' })
  createdAt!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it last signed in; null: never since.' })
  lastUsedAt!: number | null;
}

@Resolver()
export class LinkedIdentitiesResolver {
  constructor(
    private readonly identities: LinkedIdentities,
    private readonly providerSignIn: ProviderSignIn,
  ) {}

  @Access({ keys: 'none', members: 'person', isViewable: true })
  @Query(() => [LinkedIdentityType], { description: 'The linked sign-ins, the first linked first; at most 10.' })
  async linkedIdentities(@Ctx() context: GraphqlContext): Promise<LinkedIdentityType[]> {
    return (await this.identities.list(requireSession(context).accountId)).map(toType);
  }

  @Access({ keys: 'none', members: 'person', proof: 'always' })
  @Mutation(() => String, {
    description:
      'Begins to link a provider: the address to open in this browser, which comes back to the settings. `finishIdentityLink` of this session has ten minutes, and one try.',
  })
  async startIdentityLink(
    @Arg('provider', () => ID, { description: 'The id of the provider.' }) provider: string,
    @Ctx() context: GraphqlContext,
  ): Promise<string> {
    const viewer = requireSession(context);
    try {
      const from = { address: context.addressOfCaller, next: null, viewer };
      const { url, token } = await this.providerSignIn.start(provider, from);
      context.setProviderCookie(token.reveal());
      return url;
    } catch (error) {
      if (!(error instanceof ProviderFaultError)) throw error;
      throw new AppError('service_unavailable', 'The provider does not answer at the moment. Try again in a minute.', {
        retryAfterMs: 60_000,
        cause: error,
      });
    }
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => LinkedIdentityType, {
    description: 'Links whom the provider has named; from then on they sign in to this account.',
  })
  async finishIdentityLink(@Ctx() context: GraphqlContext): Promise<LinkedIdentityType> {
    context.clearProviderCookie();
    return toType(await this.providerSignIn.finishLink(context.providerToken, requireSession(context)));
  }

  @Access({ keys: 'none', members: 'person', proof: 'always' })
  @Mutation(() => Boolean, {
    description:
      'Unlinks a sign-in. `CONFLICT` when nothing else would sign its owner in: no password, passkey or link.',
  })
  async unlinkIdentity(
    @Arg('id', () => ID, { description: 'The id of the linked sign-in.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    await this.identities.unlink(requireSession(context).accountId, id);
    return true;
  }
}

function toType({ id, provider, label, createdAtMs, lastUsedAtMs }: LinkedIdentity): LinkedIdentityType {
  return { id, provider, label, createdAt: createdAtMs, lastUsedAt: lastUsedAtMs };
}
