import { FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { AccountType } from './account-type.graphql.js';

/** Knows what accounts pay. */
export interface AccountPriceSource {
  find(accountId: string): number | Promise<number>;
}

@Resolver(() => AccountType)
export class AccountPriceResolver {
  constructor(private readonly prices: AccountPriceSource) {}

  @FieldResolver(() => Int, {
    description:
      'What the account pays for its calls, in per mille of the prices in `models`; 1000: the list price. Rounded up once for each call, to a whole millicredit.',
  })
  async priceMultiplier(@Root() { id }: AccountType): Promise<number> {
    return this.prices.find(id);
  }
}
