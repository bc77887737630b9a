import { MaxLength } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, Resolver } from 'type-graphql';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { ReasonField } from '../operator-fields.js';
import { OperatorMutationType } from '../operator-root.graphql.js';
import { actorOf } from '../people/operator-sessions.js';
import type { AccountExportDesk } from './account-export-desk.js';

@InputType('OperatorAccountExportInput', { description: 'Whose file is taken, and why.' })
class OperatorAccountExportInput {
  @MaxLength(40)
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @ReasonField('Why: 3 to 191 characters, for the operators’ log.')
  reason!: string;
}

@Resolver(() => OperatorMutationType)
export class OperatorAccountExportMutations {
  constructor(private readonly desk: AccountExportDesk) {}

  @FieldResolver(() => String, {
    description:
      'Everything that is known about an account, as its owner can download it: answers the path of a JSON file, which the same operator can fetch for a minute.',
  })
  async exportAccount(
    @Arg('input', () => OperatorAccountExportInput, { description: 'Whose file, and why.' })
    { accountId, reason }: OperatorAccountExportInput,
    @Ctx() context: OperatorContext,
  ): Promise<string> {
    const eventId = await this.desk.by(actorOf(await requireOperator(context))).begin(accountId, reason);
    return `/export/accounts/${eventId}.json`;
  }
}
