import { ArrayMaxSize, IsOptional, MaxLength } from 'class-validator';
import { Arg, Args, Ctx, Field, ID, InputType, ObjectType, Query, Resolver, registerEnumType } from 'type-graphql';
import { createConnectionType, PageArgs, readCursor, toConnection } from '../graphql/connection.js';
import { type GraphqlContext, requireSession } from '../graphql/graphql-context.js';
import { DateTimeScalar } from '../graphql/scalars.js';
import { isId } from '../kernel/ids.js';
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

@Resolver()
export class AccountEventsResolver {
  constructor(private readonly events: AccountEvents) {}

  @Query(() => AccountEventConnectionType, {
    description:
      'What happened to the account, newest first: who did what, from where and when. The newest 5,000 of a year are kept.',
  })
  async accountEvents(
    @Args(() => PageArgs) page: PageArgs,
    @Arg('filter', () => AccountEventFilterInput, { nullable: true, description: 'Which ones.' })
    filter: AccountEventFilterInput | null,
    @Ctx() context: GraphqlContext,
  ) {
    const { accountId } = requireSession(context);
    const beforeId = readCursor(page, (text) => isId('accountEvent', text));
    const found = await this.events.listEvents(accountId, toFilter(filter), { first: page.first, beforeId });
    return toConnection(found, toEventType, ({ id }) => id);
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
  const { id, kind, actorId, subjectId, detail, network, userAgent, createdAtMs: at } = event;
  return { id, kind, at, actorId, subjectId, detail, network, userAgent };
}
