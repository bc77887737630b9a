import { Ctx, Field, FieldResolver, ObjectType, Resolver, registerEnumType } from 'type-graphql';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { OperatorMutationType, OperatorQueryType } from '../operator-root.graphql.js';
import type { CheckFinding } from './check-list.js';
import type { SetupDesk } from './setup-desk.js';

const standingWords = { OK: 'ok', WARNING: 'warning', FAILED: 'failed', OFF: 'off' } as const;
registerEnumType(standingWords, {
  name: 'OperatorSetupStanding',
  description: 'The state of one thing that the server depends on.',
  valuesConfig: {
    OK: { description: 'It is well.' },
    WARNING: { description: 'It works, and is not fit for strangers or for long.' },
    FAILED: { description: 'It does not work.' },
    OFF: { description: 'It is not set, and need not be.' },
  },
});

@ObjectType('OperatorSetupFinding', { description: 'One thing that the server rests on.' })
class OperatorSetupFindingType {
  @Field(() => String, {
    description:
      'What was checked: disk, redis, stripe, mail, models, or exposure, which is what strangers could make use of.',
  })
  check!: string;

  @Field(() => standingWords, { description: 'Its state.' })
  standing!: CheckFinding['standing'];

  @Field(() => String, { description: 'What was found.' })
  text!: string;

  @Field(() => String, { nullable: true, description: 'What to do; null: nothing.' })
  remedy!: string | null;
}

@ObjectType('OperatorSetup', { description: 'What is set of this server, and what is missing.' })
class OperatorSetupType {
  @Field(() => String, { description: 'The address that people reach it by (PUBLIC_URL).' })
  publicUrl!: string;

  @Field(() => Boolean, { description: 'Whether NODE_ENV is production.' })
  isProduction!: boolean;

  @Field(() => [OperatorSetupFindingType], {
    description: 'As `tollgate doctor` finds it, seen from the process that answers; without database and spool.',
  })
  findings!: readonly OperatorSetupFindingType[];
}

@ObjectType('OperatorMailTrial', { description: 'What became of a test mail.' })
class OperatorMailTrialType {
  @Field(() => Boolean, { description: 'Whether the mail server took it.' })
  isSent!: boolean;

  @Field(() => String, { nullable: true, description: 'Why not, and what to do; null: it did.' })
  fault!: string | null;
}

@ObjectType('OperatorEventTrial', { description: 'What became of a test event of Stripe’s.' })
class OperatorEventTrialType {
  @Field(() => Boolean, { description: 'Whether it came to the webhook.' })
  isReceived!: boolean;

  @Field(() => String, { nullable: true, description: 'Why not, and what to do; null: it did.' })
  fault!: string | null;
}

export interface SetupFacts {
  readonly publicUrl: string;
  readonly isProduction: boolean;
}

@Resolver(() => OperatorQueryType)
export class OperatorSetupQueries {
  constructor(
    private readonly desk: SetupDesk,
    private readonly facts: SetupFacts,
  ) {}

  @FieldResolver(() => OperatorSetupType, {
    description: 'What is missing before strangers can come; asks Redis, Stripe and the mail server.',
  })
  async setup(): Promise<OperatorSetupType> {
    const { publicUrl, isProduction } = this.facts;
    return { publicUrl, isProduction, findings: await this.desk.look() };
  }
}

@Resolver(() => OperatorMutationType)
export class OperatorSetupMutations {
  constructor(private readonly desk: SetupDesk) {}

  @FieldResolver(() => OperatorMailTrialType, {
    description: 'Sends a mail to the operator who asks, by the mail server.',
  })
  async sendTestMail(@Ctx() context: OperatorContext): Promise<OperatorMailTrialType> {
    return this.desk.sendTestMail(await requireOperator(context));
  }

  @FieldResolver(() => OperatorEventTrialType, {
    description:
      'Has Stripe send an event to this server’s webhook, and waits for it, up to half a minute: a checkout of a dollar is opened and ended at once, and costs nothing.',
  })
  async sendTestEvent(@Ctx() context: OperatorContext): Promise<OperatorEventTrialType> {
    return this.desk.sendTestEvent(await requireOperator(context));
  }
}
