import 'reflect-metadata';
import { AccountsResolver } from '../accounts/accounts.graphql.js';
import { PreferredProviderResolver } from '../accounts/preferred-provider.graphql.js';
import { KeysResolver } from '../keys/keys.graphql.js';
import { LedgerResolver } from '../ledger/ledger.graphql.js';
import { ModelsResolver } from '../providers/models.graphql.js';
import { ProvidersResolver } from '../providers/providers.graphql.js';
import { PurchasesResolver } from '../purchases/purchases.graphql.js';
import { UsageResolver } from '../usage/usage.graphql.js';
import { UsageReportResolver } from '../usage/usage-report.graphql.js';
import type { ResolverClass, ResolverInstances } from './graphql-schema.js';

/** The edges of all domains. A composition root: the schema is made of these, and `app.ts` fills them. */
export const resolverClasses: readonly ResolverClass[] = [
  AccountsResolver,
  KeysResolver,
  LedgerResolver,
  ModelsResolver,
  ProvidersResolver,
  PreferredProviderResolver,
  PurchasesResolver,
  UsageResolver,
  UsageReportResolver,
];

/** What the resolvers call. */
export interface ResolverServices {
  readonly accounts: ConstructorParameters<typeof AccountsResolver>[0];
  readonly limits: ConstructorParameters<typeof AccountsResolver>[2];
  readonly keys: ConstructorParameters<typeof KeysResolver>[0];
  readonly keySpend: ConstructorParameters<typeof KeysResolver>[1];
  readonly clock: ConstructorParameters<typeof KeysResolver>[2];
  readonly ledgerReader: ConstructorParameters<typeof LedgerResolver>[0];
  readonly catalogue: ConstructorParameters<typeof ModelsResolver>[0] &
    ConstructorParameters<typeof ProvidersResolver>[0];
  readonly health: ConstructorParameters<typeof ProvidersResolver>[1];
  readonly preferredProviders: ConstructorParameters<typeof PreferredProviderResolver>[0];
  readonly purchases: ConstructorParameters<typeof PurchasesResolver>[0];
  readonly calls: ConstructorParameters<typeof UsageResolver>[0];
  readonly usage: ConstructorParameters<typeof UsageReportResolver>[0];
}

/** Makes the one object that serves each resolver class. */
export function createResolvers(services: ResolverServices): ResolverInstances {
  return new Map<ResolverClass, object>([
    [AccountsResolver, new AccountsResolver(services.accounts, services.ledgerReader, services.limits)],
    [KeysResolver, new KeysResolver(services.keys, services.keySpend, services.clock)],
    [LedgerResolver, new LedgerResolver(services.ledgerReader)],
    [ModelsResolver, new ModelsResolver(services.catalogue, services.health)],
    [ProvidersResolver, new ProvidersResolver(services.catalogue, services.health)],
    [PreferredProviderResolver, new PreferredProviderResolver(services.preferredProviders)],
    [PurchasesResolver, new PurchasesResolver(services.purchases)],
    [UsageResolver, new UsageResolver(services.calls, services.keys)],
    [UsageReportResolver, new UsageReportResolver(services.usage)],
  ]);
}
