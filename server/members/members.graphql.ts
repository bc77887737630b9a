import { IsIn, IsOptional, MaxLength } from 'class-validator';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { InvalidInputError } from '../kernel/app-error.js';
import { type MemberRole, memberRoles } from '../kernel/member-role.js';
import { Access, everybody, managers } from '../schema/access.js';
import { findViewer, type GraphqlContext, requirePerson, requireSession } from '../schema/graphql-context.js';
import { memberRoleNames } from '../schema/member-role.js';
import { CreditsScalar, DateTimeScalar } from '../schema/scalars.js';
import type { MemberBudgets } from './member-budgets.js';
import type { Memberships } from './memberships.js';

@ObjectType('AccountOfPerson', { description: 'An account that a person may act for.' })
class AccountOfPersonType {
  @Field(() => ID, { description: 'The id, `acct_…`.' })
  accountId!: string;

  @Field(() => String, { description: 'The name of the person who signed up for it.' })
  name!: string;

  @Field(() => memberRoleNames, { description: 'What the person is there.' })
  role!: MemberRole;

  @Field(() => Boolean, { description: 'Whether this session acts for it.' })
  isCurrent!: boolean;
}

@ObjectType('Person', { description: 'The signed-in person, whichever account the session acts for.' })
class PersonType {
  @Field(() => ID, { description: 'The id of the account that the person signed up with.' })
  id!: string;

  @Field(() => String, { description: 'The address that they sign in with.' })
  email!: string;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When they proved to read mail there; null: not yet.' })
  emailVerifiedAt!: number | null;

  @Field(() => String, { description: 'What to call them.' })
  name!: string;
}

@ObjectType('Member', { description: 'A person in an account.' })
class MemberType {
  @Field(() => ID, { description: 'The person, by the id of the account that they signed up with.' })
  personId!: string;

  @Field(() => String, { description: 'What to call them.' })
  name!: string;

  @Field(() => String, { description: 'The address that they sign in with.' })
  email!: string;

  @Field(() => memberRoleNames, { description: 'What they are in the account.' })
  role!: MemberRole;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When they became a member; null: with the account.' })
  since!: number | null;

  @Field(() => Boolean, { description: 'Whether it is the one who asks.' })
  isYou!: boolean;

  @Field(() => Boolean, {
    description: 'Whether they sign in by this account, and so can be given another role, but not go.',
  })
  isFounder!: boolean;

  @Field(() => CreditsScalar, {
    nullable: true,
    description:
      'What the keys that they have made may spend together in a month of the calendar, UTC; null: as much as the account. The playground is closed to people with a budget.',
  })
  monthlyBudget!: number | null;

  @Field(() => CreditsScalar, { description: 'What these keys have spent of this month.' })
  spentThisMonth!: number;

  @Field(() => DateTimeScalar, { description: 'When the next month begins, and the budget with it.' })
  budgetResetsAt!: number;
}

@InputType('SetMemberRoleInput', { description: 'What a member is to be.' })
class SetMemberRoleInput {
  @MaxLength(40)
  @Field(() => ID, { description: 'The member.' })
  personId!: string;

  @IsIn(memberRoles)
  @Field(() => memberRoleNames, { description: 'The new role.' })
  role!: MemberRole;
}

@InputType('SetMemberBudgetInput', { description: 'What the keys of a member may spend.' })
class SetMemberBudgetInput {
  @MaxLength(40)
  @Field(() => ID, { description: 'The member.' })
  personId!: string;

  @IsOptional()
  @Field(() => CreditsScalar, {
    nullable: true,
    description:
      'From 0, which stops their keys, for a month of the calendar; null: no budget. It may not be left out.',
  })
  monthlyBudget?: number | null;
}

const revokeKeysWords =
  'Whether the keys that they have made end, too. By default they stay: keys belong to the account, as webhook endpoints and shared receipts do, which stay in any case.';

@Resolver(() => PersonType)
export class MembersResolver {
  constructor(
    private readonly memberships: Memberships,
    private readonly budgets: MemberBudgets,
  ) {}

  @Access({ keys: 'none', members: 'person', isViewable: true })
  @Query(() => PersonType, { nullable: true, description: 'The signed-in person; null: nobody is.' })
  async person(@Ctx() context: GraphqlContext): Promise<PersonType | null> {
    const id = findViewer(context)?.personId ?? null;
    const person = id === null ? null : await this.memberships.findPerson(id);
    return person && { ...person, emailVerifiedAt: person.emailVerifiedAtMs };
  }

  @FieldResolver(() => [AccountOfPersonType], {
    description: 'The accounts that this session may act for, the person’s own first. `switchAccount` chooses one.',
  })
  async accounts(@Root() { id }: PersonType, @Ctx() context: GraphqlContext): Promise<AccountOfPersonType[]> {
    const current = context.viewer?.accountId;
    const accounts = await this.memberships.listAccounts(id);
    return accounts.map((account) => ({ ...account, isCurrent: account.accountId === current }));
  }

  @Access({ keys: 'none', members: everybody, isViewable: true })
  @Query(() => [MemberType], { description: 'Everybody in the account, at most 100.' })
  async members(@Ctx() context: GraphqlContext): Promise<MemberType[]> {
    return this.#listMembers(context);
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description:
      'Has this session act for another account of the person, from the next request on. `NOT_FOUND` for one of others.',
  })
  async switchAccount(
    @Arg('accountId', () => ID, { description: 'The account.' }) accountId: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    await this.memberships.switchAccount(requireSession(context), accountId);
    return true;
  }

  @Access({ keys: 'none', members: managers, proof: 'always' })
  @Mutation(() => [MemberType], {
    description: 'Gives a member another role, from their next request on. To make or lower an owner takes an owner.',
  })
  async setMemberRole(
    @Arg('input', () => SetMemberRoleInput, { description: 'Who is to be what.' }) {
      personId,
      role,
    }: SetMemberRoleInput,
    @Ctx() context: GraphqlContext,
  ): Promise<MemberType[]> {
    const { accountId, personId: byPersonId } = requirePerson(context);
    await this.memberships.setRole({ accountId, byPersonId, personId, role });
    return this.#listMembers(context);
  }

  @Access({ keys: 'none', members: managers, proof: 'always' })
  @Mutation(() => [MemberType], {
    description:
      'Sets or lifts what the keys that a member has made may spend together in a month. It holds for the next call, and counts what this month has cost already. An owner’s takes an owner.',
  })
  async setMemberBudget(
    @Arg('input', () => SetMemberBudgetInput, { description: 'Whose budget, and how much.' }) {
      personId,
      monthlyBudget,
    }: SetMemberBudgetInput,
    @Ctx() context: GraphqlContext,
  ): Promise<MemberType[]> {
    // A program that has lost the amount on its way sends nothing, and is not to lift what bounds somebody.
    if (monthlyBudget === undefined) {
      throw new InvalidInputError('monthlyBudget', 'Send an amount of credits, or null for no budget.');
    }
    const { accountId, personId: byPersonId } = requirePerson(context);
    await this.budgets.setBudget({ accountId, byPersonId, personId, budgetMillicredits: monthlyBudget });
    return this.#listMembers(context);
  }

  @Access({ keys: 'none', members: ['owner'], proof: 'always' })
  @Mutation(() => [MemberType], {
    description: 'Makes a member the owner in one’s own place; oneself is an admin then.',
  })
  async transferOwnership(
    @Arg('personId', () => ID, { description: 'The member.' }) personId: string,
    @Ctx() context: GraphqlContext,
  ): Promise<MemberType[]> {
    const { accountId, personId: byPersonId } = requirePerson(context);
    await this.memberships.transferOwnership({ accountId, byPersonId, personId });
    return this.#listMembers(context);
  }

  @Access({ keys: 'none', members: managers, proof: 'always' })
  @Mutation(() => [MemberType], {
    description: 'Ends a membership. The sessions in which the person acts for this account end at once.',
  })
  async removeMember(
    @Arg('personId', () => ID, { description: 'The member.' }) personId: string,
    @Arg('revokeKeys', () => Boolean, { defaultValue: false, description: revokeKeysWords }) revokeKeys: boolean,
    @Ctx() context: GraphqlContext,
  ): Promise<MemberType[]> {
    const { accountId, personId: byPersonId } = requirePerson(context);
    await this.memberships.remove({ accountId, byPersonId, personId }, { revokeKeys });
    return this.#listMembers(context);
  }

  @Access({ keys: 'none', members: everybody })
  @Mutation(() => Boolean, {
    description: 'Ends one’s own membership of the account that this session acts for, and with it the session.',
  })
  async leaveAccount(
    @Arg('revokeKeys', () => Boolean, { defaultValue: false, description: revokeKeysWords }) revokeKeys: boolean,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId, personId } = requirePerson(context);
    await this.memberships.leave({ accountId, personId }, { revokeKeys });
    context.clearSessionCookie();
    return true;
  }

  async #listMembers(context: GraphqlContext): Promise<MemberType[]> {
    const { accountId, personId: own } = requirePerson(context);
    const { spent, resetsAtMs } = await this.budgets.findMonth(accountId);
    return (await this.memberships.listMembers(accountId)).map((member) => {
      const { personId, name, email, role, sinceMs, monthlyBudgetMillicredits } = member;
      return {
        personId,
        name,
        email,
        role,
        since: sinceMs,
        isYou: personId === own,
        isFounder: personId === accountId,
        monthlyBudget: monthlyBudgetMillicredits,
        spentThisMonth: spent.get(personId) ?? 0,
        budgetResetsAt: resetsAtMs,
      };
    });
  }
}
