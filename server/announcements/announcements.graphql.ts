import { Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { Access } from '../schema/access.js';
import { DateTimeScalar } from '../schema/scalars.js';
import type { AnnouncementBoard } from './announcement-board.js';

@ObjectType('Announcement', { description: 'Something that the operators of this server tell everybody.' })
class AnnouncementType {
  @Field(() => ID, { description: 'Its id, `ann_…`.' })
  id!: string;

  @Field(() => Boolean, {
    description: 'Whether new calls are refused with 503 `maintenance` while it lasts; running ones end as usual.',
  })
  isMaintenance!: boolean;

  @Field(() => String, { description: 'The text: plain, one line.' })
  text!: string;

  @Field(() => DateTimeScalar, { description: 'When it begins, or began.' })
  startsAt!: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ends; null: nobody has said yet.' })
  endsAt!: number | null;
}

@Resolver()
export class AnnouncementsResolver {
  constructor(private readonly board: Pick<AnnouncementBoard, 'listShown'>) {}

  @Access({ keys: 'any', members: 'person', isViewable: true })
  @Query(() => [AnnouncementType], {
    description: 'What the operators tell everybody now, and maintenance that is to come; at most 20. Public.',
  })
  announcements(): readonly AnnouncementType[] {
    return this.board.listShown().map(({ id, isMaintenance, text, startsAtMs, endsAtMs }) => {
      return { id, isMaintenance, text, startsAt: startsAtMs, endsAt: endsAtMs };
    });
  }
}
