import { Arg, Ctx, ID, Mutation, Resolver } from 'type-graphql';
import { Access, managers } from '../schema/access.js';
import { type GraphqlContext, requireViewer } from '../schema/graphql-context.js';
import { AccountType, toAccountType } from './account-type.graphql.js';
import type { PreferredProviders } from './preferred-providers.js';

@Resolver()
export class PreferredProviderResolver {
  constructor(private readonly preferences: Pick<PreferredProviders, 'set'>) {}

  @Access({ keys: 'none', members: managers })
  @Mutation(() => AccountType, {
    description: 'Says which provider shall answer the account’s calls wherever it serves the model. null: no matter.',
  })
  async setPreferredProvider(
    @Arg('provider', () => ID, { nullable: true, description: 'One of `providers`; null: no preference.' })
    provider: string | null,
    @Ctx() context: GraphqlContext,
  ): Promise<AccountType> {
    const { accountId } = requireViewer(context);
    return toAccountType(await this.preferences.set(accountId, provider ?? null));
  }
}
