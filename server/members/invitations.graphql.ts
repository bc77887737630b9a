import { IsIn, MaxLength } from 'class-validator';
import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { type MemberRole, memberRoles } from '../kernel/member-role.js';
import { Access, managers } from '../schema/access.js';
import { type GraphqlContext, requirePerson, requireSession } from '../schema/graphql-context.js';
import { memberRoleNames } from '../schema/member-role.js';
import { DateTimeScalar } from '../schema/scalars.js';
import type { Invitation, Invitations } from './invitations.js';

// The rules that a person is told about stand in the service; this bound only keeps nonsense away from it.
const textLengthMax = 1_000;

@ObjectType('Invitation', { description: 'Somebody who was invited to the account and has not answered yet.' })
class InvitationType {
  @Field(() => ID, { description: 'The id, `invt_…`. Not secret.' })
  id!: string;

  @Field(() => String, { description: 'Where it was mailed.' })
  email!: string;

  @Field(() => memberRoleNames, { description: 'What they are to be.' })
  role!: MemberRole;

  @Field(() => DateTimeScalar, { description: 'When they were invited.' })
  createdAt!: number;

  @Field(() => DateTimeScalar, { description: 'Until when it can be answered.' })
  expiresAt!: number;
}

@ObjectType('InvitationOffer', { description: 'What the link of an invitation offers.' })
class InvitationOfferType {
  @Field(() => String, { description: 'What the account is called.' })
  accountName!: string;

  @Field(() => memberRoleNames, { description: 'What one would be there.' })
  role!: MemberRole;

  @Field(() => String, {
    nullable: true,
    description: 'The address of the person who invited; null: their account is gone.',
  })
  invitedBy!: string | null;

  @Field(() => DateTimeScalar, { description: 'Until when it can be answered.' })
  expiresAt!: number;
}

@InputType('InviteMemberInput', { description: 'Who is to become a member.' })
class InviteMemberInput {
  @MaxLength(textLengthMax)
  @Field(() => String, {
    description: 'Where the invitation is mailed. Only who signs in with this address can accept it.',
  })
  email!: string;

  @IsIn(memberRoles)
  @Field(() => memberRoleNames, { description: 'What they are to be; not `OWNER`.' })
  role!: MemberRole;
}

const tokenWords = 'The part of the mailed link after the #.';

@Resolver()
export class InvitationsResolver {
  constructor(private readonly service: Invitations) {}

  @Access({ keys: 'none', members: managers, isViewable: true })
  @Query(() => [InvitationType], { description: 'The account’s open invitations, newest first; at most 100.' })
  async invitations(@Ctx() context: GraphqlContext): Promise<InvitationType[]> {
    return (await this.service.listInvitations(requireSession(context).accountId)).map(toInvitationType);
  }

  @Access({ keys: 'none', members: 'person' })
  @Query(() => InvitationOfferType, {
    description: 'What the link of an invitation offers to the signed-in person. It changes nothing.',
  })
  async invitationOffer(
    @Arg('token', () => String, { description: tokenWords }) token: string,
    @Ctx() context: GraphqlContext,
  ): Promise<InvitationOfferType> {
    const { expiresAtMs: expiresAt, ...offer } = await this.service.findOffer(token, requireSession(context).accountId);
    return { ...offer, expiresAt };
  }

  @Access({ keys: 'none', members: managers, proof: 'always' })
  @Mutation(() => InvitationType, {
    description:
      'Mails an invitation, valid for seven days and one use. It replaces an earlier one to the same address. Requires a verified address of one’s own; at most 20 a day from an account, and 3 to one mailbox.',
  })
  async inviteMember(
    @Arg('input', () => InviteMemberInput, { description: 'Who, and as what.' }) { email, role }: InviteMemberInput,
    @Ctx() context: GraphqlContext,
  ): Promise<InvitationType> {
    const { accountId, personId: byPersonId } = requirePerson(context);
    return toInvitationType(await this.service.invite({ accountId, byPersonId, email, role }));
  }

  @Access({ keys: 'none', members: managers })
  @Mutation(() => Boolean, { description: 'Withdraws an invitation: its link is then invalid.' })
  async revokeInvitation(
    @Arg('id', () => ID, { description: 'The invitation’s id.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    await this.service.revoke({ accountId: requireSession(context).accountId, id });
    return true;
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => ID, {
    description:
      'Becomes a member by the token of an invitation to one’s own address, once. The id of the account, for `switchAccount`.',
  })
  async acceptInvitation(
    @Arg('token', () => String, { description: tokenWords }) token: string,
    @Ctx() context: GraphqlContext,
  ): Promise<string> {
    return this.service.accept(token, requireSession(context).accountId);
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description: 'Declines an invitation to one’s own address. Its link is then invalid.',
  })
  async declineInvitation(
    @Arg('token', () => String, { description: tokenWords }) token: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    await this.service.decline(token, requireSession(context).accountId);
    return true;
  }
}

function toInvitationType({ id, email, role, createdAtMs, expiresAtMs }: Invitation): InvitationType {
  return { id, email, role, createdAt: createdAtMs, expiresAt: expiresAtMs };
}
