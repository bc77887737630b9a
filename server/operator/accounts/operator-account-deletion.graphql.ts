import { IsBoolean, MaxLength } from 'class-validator';
import { Arg, Ctx, Field, FieldResolver, ID, InputType, Resolver } from 'type-graphql';
import { type OperatorContext, requireOperator } from '../operator-context.js';
import { ReasonField } from '../operator-fields.js';
import { OperatorMutationType } from '../operator-root.graphql.js';
import { actorOf } from '../people/operator-sessions.js';
import type { AccountDeletionDesk } from './account-deletion-desk.js';

@InputType('OperatorAccountDeletionInput', { description: 'Which account is deleted, and why.' })
class OperatorAccountDeletionInput {
  @MaxLength(40)
  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @MaxLength(254)
  @Field(() => String, { description: 'The address that it signs in with, so that no other one is deleted.' })
  email!: string;

  @IsBoolean()
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Whether credits that are left may be lost. Without it such an account is not deleted.',
  })
  forfeitsCredits!: boolean;

  @ReasonField('Why: 3 to 191 characters, for the operators’ log.')
  reason!: string;
}

@Resolver(() => OperatorMutationType)
export class OperatorAccountDeletionMutations {
  constructor(private readonly desk: AccountDeletionDesk) {}

  @FieldResolver(() => Boolean, {
    description:
      'Deletes an account for good, as its owner can: no call and no sign-in any more, and what tells who it was is removed. The books stay.',
  })
  async deleteAccount(
    @Arg('input', () => OperatorAccountDeletionInput, { description: 'Which account, and why.' })
    input: OperatorAccountDeletionInput,
    @Ctx() context: OperatorContext,
  ): Promise<boolean> {
    await this.desk.by(actorOf(await requireOperator(context))).delete(input);
    return true;
  }
}
