import { Mutation, ObjectType, Query, Resolver, registerEnumType } from 'type-graphql';
import { Access } from '../schema/access.js';
import type { OperatorRole } from './operator-access.js';

// The names on the wire stand on the left.
export const roleWords = {
  OWNER: 'owner',
  SUPPORT: 'support',
  FINANCE: 'finance',
  READ_ONLY: 'read_only',
} as const satisfies Record<Uppercase<OperatorRole>, OperatorRole>;
registerEnumType(roleWords, {
  name: 'OperatorRole',
  description: 'What an operator is there for.',
  valuesConfig: {
    OWNER: { description: 'All of it, other operators too.' },
    SUPPORT: { description: 'Helps customers: accounts, keys, sessions, notices. No credits.' },
    FINANCE: { description: 'Credits, and who may spend them.' },
    READ_ONLY: { description: 'Looks, and changes nothing.' },
  },
});

@ObjectType('OperatorQuery', { description: 'What operators look at.' })
export class OperatorQueryType {}

@ObjectType('OperatorMutation', { description: 'What operators change. One at a time; each is written to their log.' })
export class OperatorMutationType {}

/** Where the operators' part begins. Who may ask what in it stands in `operator-access.ts`. */
@Resolver()
export class OperatorRootResolver {
  // Operators sign in for themselves: `operator-access.ts` says who of them may do what.
  @Access({ keys: 'none', members: 'person' })
  @Query(() => OperatorQueryType, {
    description: 'For those who run this server. They sign in at `/operator` with a cookie of their own.',
  })
  operator(): OperatorQueryType {
    return {};
  }

  // Operators sign in for themselves: `operator-access.ts` says who of them may do what.
  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => OperatorMutationType, {
    name: 'operator',
    description: 'For those who run this server. They sign in at `/operator` with a cookie of their own.',
  })
  changeAsOperator(): OperatorMutationType {
    return {};
  }
}
