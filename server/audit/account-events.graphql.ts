import { ArrayMaxSize, IsOptional, MaxLength } from 'class-validator';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  ObjectType,
  Query,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';
import { isId } from '../kernel/ids.js';
import type { MemberRole } from '../kernel/member-role.js';
import { Access, managers } from '../schema/access.js';
import { createConnectionType, PageArgs, readPage, toConnection } from '../schema/connection.js';
import { type GraphqlContext, requirePerson } from '../schema/graphql-context.js';
import { memberRoleNames } from '../schema/member-role.js';
import { DateTimeScalar } from '../schema/scalars.js';
import type { AccountEvent, AccountEvents, EventFilter } from './account-events.js';
import { type EventKind, eventKinds } from './event-kinds.js';

const names = Object.keys(eventKinds) as EventKind[];
const wireKinds = Object.fromEntries(names.map((kind) => [kind.toUpperCase(), kind]));
registerEnumType(wireKinds, {
  name: 'AccountEventKind',
  description: 'What can happen to an account.',
  valuesConfig: Object.fromEntries(names.map((kind) => [kind.toUpperCase(), { description: eventKinds[kind] }])),
});

@ObjectType('AccountEvent', { description: 'Something that happened to the account.' })
class AccountEventType {
  @Field(() => ID, { description: 'The id, `evnt_…`.' })
  id!: string;

  @Field(() => wireKinds, { description: 'What it was.' })
  kind!: EventKind;

  @Field(() => DateTimeScalar, { description: 'When.' })
  at!: number;

  @Field(() => ID, {
    nullable: true,
    description: 'The session or API key that did it; null: somebody who was not signed in, or this server.',
  })
  actorId!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The person whose session it was, by the account that they signed up with; null: it was none.',
  })
  personId!: string | null;

  @Field(() => memberRoleNames, { nullable: true, description: 'What that person was in the account at the time.' })
  role!: MemberRole | null;

  @Field(() => ID, { nullable: true, description: 'The session, key or purchase that it was done to.' })
  subjectId!: string | null;

  @Field(() => String, { nullable: true, description: 'What that is known by, such as the name of a key.' })
  detail!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The network it came from: an IPv4 address, or the first 56 bits of an IPv6 address.',
  })
  network!: string | null;

  @Field(() => String, { nullable: true, description: 'What the program that did it called itself.' })
  userAgent!: string | null;
}

const AccountEventConnectionType = createConnectionType(AccountEventType, 'AccountEvent');

@InputType('AccountEventFilter', { description: 'Which events are wanted; what is left out does not matter.' })
class AccountEventFilterInput {
  @IsOptional()
  @ArrayMaxSize(100)
  @Field(() => [wireKinds], { nullable: true, description: 'Of these kinds.' })
  kinds?: EventKind[] | null;

  @IsOptional()
  @MaxLength(40)
  @Field(() => ID, { nullable: true, description: 'What this session or API key did.' })
  actorId?: string | null;

  @IsOptional()
  @Field(() => DateTimeScalar, { nullable: true, description: 'From then on.' })
  from?: number | null;

  @IsOptional()
  @Field(() => DateTimeScalar, { nullable: true, description: 'Before then.' })
  to?: number | null;
}

@Resolver(() => AccountEventType)
export class AccountEventsResolver {
  constructor(
    private readonly events: AccountEvents,
    private readonly people: { findName(personId: string): Promise<string | null> },
  ) {}

  // It tells where people were.
  @Access({ keys: 'none', members: managers, isViewable: true })
  @Query(() => AccountEventConnectionType, {
    description:
      'What happened to the account, newest first: who did what, from where and when. The newest 5,000 of a year are kept. How and where from its first owner signs in, only they see.',
  })
  async accountEvents(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => AccountEventFilterInput, { nullable: true, description: 'Which ones.' })
    filter: AccountEventFilterInput | null,
    @Ctx() context: GraphqlContext,
  ) {
    const { accountId, personId } = requirePerson(context);
    const asked = readPage(page, (text) => isId('accountEvent', text));
    const found = await this.events.listEvents(
      accountId,
      { ...toFilter(filter), isShared: personId !== accountId },
      { first: asked.first, beforeId: asked.afterKey },
    );
    return toConnection(found, asked, { toNode: toEventType, keyOf: ({ id }) => id });
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'What that person is called; null: it was none, or is gone.',
  })
  async personName(@Root() { personId }: AccountEventType, @Ctx() context: GraphqlContext): Promise<string | null> {
    return personId && context.loadOnce(`name of ${personId}`, () => this.people.findName(personId));
  }
}

function toFilter(filter: AccountEventFilterInput | null): EventFilter {
  const { kinds, actorId, from, to } = filter ?? {};
  return {
    ...(kinds && { kinds }),
    ...(actorId && { actorId }),
    ...(from != null && { fromMs: from }),
    ...(to != null && { toMs: to }),
  };
}

function toEventType(event: AccountEvent): AccountEventType {
  const { id, kind, actorId, personId, role, subjectId, detail, network, userAgent, createdAtMs: at } = event;
  return { id, kind, at, actorId, personId, role, subjectId, detail, network, userAgent };
}
