import { Max, Min } from 'class-validator';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  ID,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  registerEnumType,
} from 'type-graphql';
import { Access, everybody } from '../schema/access.js';
import { type GraphqlContext, requirePerson, requireViewer } from '../schema/graphql-context.js';
import { DateTimeScalar } from '../schema/scalars.js';
import type { NoticeWay, ToldNotice, ToldNotices } from './told-notices.js';

// The names on the wire stand on the left.
const channels = { DASHBOARD: 'dashboard', EMAIL: 'email', WEBHOOK: 'webhook' } as const;
registerEnumType(channels, {
  name: 'NoticeChannel',
  description: 'The channel of a notice.',
  valuesConfig: {
    DASHBOARD: { description: 'It is on the dashboard.' },
    EMAIL: { description: 'By a mail to the address of the account or of the alert.' },
    WEBHOOK: { description: 'By a signed request to the webhook of the account.' },
  },
});

export const noticeStates = {
  WAITING: 'waiting',
  SENT: 'sent',
  LOGGED: 'logged',
  DROPPED: 'dropped',
  GIVEN_UP: 'given_up',
} as const;
registerEnumType(noticeStates, {
  name: 'NoticeState',
  description: 'What became of it.',
  valuesConfig: {
    WAITING: { description: 'It is still to be sent, or is tried again.' },
    SENT: { description: 'It was sent, or is shown here.' },
    LOGGED: { description: 'This server sends no mail, so it is in the operator’s log.' },
    DROPPED: { description: 'The address or the webhook was taken away before it was sent.' },
    GIVEN_UP: { description: 'It could not be delivered for a day.' },
  },
});

@ObjectType('NoticeWay', { description: 'One channel by which a notice was sent.' })
class NoticeWayType {
  @Field(() => channels, { description: 'Which way.' })
  channel!: NoticeWay['channel'];

  @Field(() => noticeStates, { description: 'What became of it.' })
  state!: NoticeWay['state'];
}

@ObjectType('Notice', { description: 'A notice to the account about its money and usage.' })
class NoticeType {
  @Field(() => ID, { description: 'The id.' })
  id!: string;

  @Field(() => String, { description: 'What it says, in a sentence.' })
  title!: string;

  @Field(() => DateTimeScalar, { description: 'When it was written.' })
  at!: number;

  @Field(() => [NoticeWayType], { description: 'The channels by which it was sent.' })
  ways!: readonly NoticeWay[];

  @Field(() => Boolean, { description: 'Whether the person who asks has marked it as read.' })
  isRead!: boolean;
}

@ArgsType()
class NoticesArgs {
  @Min(1, { message: 'Ask for at least 1.' })
  @Max(100, { message: 'Ask for at most 100.' })
  @Field(() => Int, { defaultValue: 50, description: 'How many to answer at most: 1 to 100.' })
  first!: number;
}

@Resolver()
export class NoticesResolver {
  constructor(private readonly told: Pick<ToldNotices, 'list' | 'markRead'>) {}

  @Access({ keys: ['usage:read'], members: everybody, isViewable: true })
  @Query(() => [NoticeType], {
    description:
      'The account’s notices about money and usage of the last 90 days, newest first: budgets, spikes, low balance, top-ups.',
  })
  async notices(
    @Args(() => NoticesArgs) { first }: NoticesArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<NoticeType[]> {
    const { accountId, personId } = requireViewer(context);
    const found = await this.told.list({ accountId, personId }, first);
    return found.map(toNoticeType);
  }

  // What a person has read is theirs.
  @Access({ keys: 'none', members: everybody })
  @Mutation(() => Boolean, { description: 'Marks notices until then as read, for the person who is signed in.' })
  async markNoticesRead(
    @Arg('until', () => DateTimeScalar, { description: 'The `at` of the newest one that was seen.' }) until: number,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId, personId } = requirePerson(context);
    await this.told.markRead({ accountId, personId }, until);
    return true;
  }
}

function toNoticeType({ id, title, atMs, ways, isRead }: ToldNotice): NoticeType {
  return { id, title, at: atMs, ways, isRead };
}
