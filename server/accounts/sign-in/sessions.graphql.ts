import { Arg, Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { Access } from '../../schema/access.js';
import { type GraphqlContext, requireSession } from '../../schema/graphql-context.js';
import { DateTimeScalar } from '../../schema/scalars.js';
import type { SessionService } from './session-service.js';

@ObjectType('Session', { description: 'A sign-in that goes on.' })
class SessionType {
  @Field(() => ID, { description: 'The id, `sess_…`. Not secret.' })
  id!: string;

  @Field(() => DateTimeScalar, { description: 'When it began.' })
  createdAt!: number;

  @Field(() => DateTimeScalar, { description: 'When it was last used, to the minute.' })
  lastUsedAt!: number;

  @Field(() => String, { nullable: true, description: 'What the program that signed in called itself.' })
  userAgent!: string | null;

  @Field(() => Boolean, { description: 'Whether it is the one that asks.' })
  isCurrent!: boolean;
}

@Resolver()
export class SessionsResolver {
  constructor(private readonly sessionService: SessionService) {}

  @Access({ keys: 'none', members: 'person', isViewable: true })
  @Query(() => [SessionType], { description: 'The account’s sessions, the last used first; at most 100.' })
  async sessions(@Ctx() context: GraphqlContext): Promise<SessionType[]> {
    const viewer = requireSession(context);
    return (await this.sessionService.listSessions(viewer.accountId)).map((session) => ({
      id: session.id,
      createdAt: session.createdAtMs,
      lastUsedAt: session.lastUsedAtMs,
      userAgent: session.userAgent,
      isCurrent: session.id === viewer.sessionId,
    }));
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, { description: 'Ends one of the account’s sessions at once. True when there was one.' })
  async endSession(
    @Arg('id', () => ID, { description: 'The session’s id.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId, sessionId } = requireSession(context);
    if (id === sessionId) context.clearSessionCookie();
    return this.sessionService.endSession({ accountId, sessionId: id });
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Int, {
    description: 'Ends every session of the account at once, this one included. The number of sessions that ended.',
  })
  async signOutEverywhere(@Ctx() context: GraphqlContext): Promise<number> {
    const { accountId } = requireSession(context);
    context.clearSessionCookie();
    return this.sessionService.endAllSessions(accountId);
  }
}
