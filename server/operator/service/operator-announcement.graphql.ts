import { IsBoolean, IsInt, IsOptional, MaxLength } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, ObjectType, Resolver } from 'type-graphql';
import { DateTimeScalar } from '../../schema/scalars.js';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { ReasonField, reasonWords } from '../operator-fields.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import { actorOf } from '../people/operator-sessions.js';
import type { AnnouncementDesk } from './announcement-desk.js';

const textLengthMax = 1_000;

type Announcement = Awaited<ReturnType<AnnouncementDesk['listOpen']>>[number];

@ObjectType('OperatorAnnouncement', { description: 'An announcement that is not over.' })
class OperatorAnnouncementType {
  @Field(() => ID, { description: 'Its id, `ann_…`.' })
  id!: string;

  @Field(() => Boolean, { description: 'Whether new calls are refused while it lasts.' })
  isMaintenance!: boolean;

  @Field(() => String, { description: 'The text.' })
  text!: string;

  @Field(() => DateTimeScalar, { description: 'When it begins, or began.' })
  startsAt!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ends; null: when somebody ends it.' })
  endsAt!: number | null;

  @Field(() => String, { description: 'Who made it.' })
  createdBy!: string;

  @Field(() => DateTimeScalar, { description: 'When.' })
  createdAt!: number;
}

@InputType('OperatorAnnouncementInput', { description: 'Something to be told to everybody.' })
class OperatorAnnouncementInput {
  @IsBoolean()
  @Field(() => Boolean, {
    description:
      'Whether new calls are refused with 503 `maintenance`, free, from its beginning to its end; calls that run end as usual.',
  })
  isMaintenance!: boolean;

  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The text, shown without a sign-in too: 3 to 500 characters, one line.' })
  text!: string;

  @IsOptional()
  @IsInt()
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When it begins, within a year; left out, or null: at once.',
  })
  startsAt?: number | null;

  @IsOptional()
  @IsInt()
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When it ends; left out, or null: when somebody ends it.',
  })
  endsAt?: number | null;

  @ReasonField()
  reason!: string;
}

@Resolver(() => OperatorQueryType)
export class OperatorAnnouncementQueries {
  constructor(private readonly desk: AnnouncementDesk) {}

  @FieldResolver(() => [OperatorAnnouncementType], {
    description: 'Announcements that are not over, begun or not, the first to begin at the front; at most 20.',
  })
  async announcements(): Promise<readonly OperatorAnnouncementType[]> {
    return (await this.desk.listOpen()).map(toOpen);
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorAnnouncementMutations {
  constructor(private readonly desk: AnnouncementDesk) {}

  @FieldResolver(() => OperatorAnnouncementType, {
    description: 'Tells everybody something, and may stop new calls meanwhile; on every server within two seconds.',
  })
  async announce(
    @Arg('input', () => OperatorAnnouncementInput, { description: 'What, when, and why.' })
    { isMaintenance, text, startsAt, endsAt, reason }: OperatorAnnouncementInput,
    @Ctx() context: OperatorContext,
  ): Promise<OperatorAnnouncementType> {
    const desk = this.desk.by(actorOf(await requireOperator(context)));
    const times = { startsAtMs: startsAt ?? null, endsAtMs: endsAt ?? null };
    return toOpen(await desk.announce({ isMaintenance, text, ...times }, reason));
  }

  @FieldResolver(() => Boolean, { description: 'Ends an announcement at once, begun or not.' })
  async endAnnouncement(
    @Arg('id', () => ID, { description: 'The announcement’s id.' }) id: string,
    @Arg('reason', () => String, { description: reasonWords }) reason: string,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.by(actorOf(await requireOperator(context))).end(id, reason);
    return true;
  }
}

function toOpen({ startsAtMs, endsAtMs, createdAtMs, ...fields }: Announcement): OperatorAnnouncementType {
  return { ...fields, startsAt: startsAtMs, endsAt: endsAtMs, createdAt: createdAtMs };
}
