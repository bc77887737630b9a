import { MaxLength } from 'class-validator';
import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { InvalidInputError } from '../../kernel/app-error.js';
import { Access } from '../../schema/access.js';
import { type GraphqlContext, requireSession } from '../../schema/graphql-context.js';
import { DateTimeScalar } from '../../schema/scalars.js';
import type { EmailChanges } from './email-changes.js';
import { NewPasswordByLink, textLengthMax } from './new-password-by-link.graphql.js';

@InputType('ChangeEmailInput', { description: 'The address that is to be, and the proof that the owner wants it.' })
class ChangeEmailInput {
  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The e-mail address to sign in with from then on.' })
  newEmail!: string;

  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The password of the account.' })
  password!: string;
}

@InputType('UndoEmailChangeInput', {
  description: 'The proof that mail was read at the former address, and a new password.',
})
class UndoEmailChangeInput extends NewPasswordByLink {}

@ObjectType('PendingEmailChange', { description: 'An e-mail address that was asked for and waits to be confirmed.' })
class PendingEmailChangeType {
  @Field(() => String, { description: 'The address that is to be.' })
  email!: string;

  @Field(() => DateTimeScalar, { description: 'When it was asked for.' })
  askedAt!: number;
}

@Resolver()
export class EmailChangesResolver {
  constructor(private readonly changes: EmailChanges) {}

  @Access({ keys: 'none', members: 'person', isViewable: true })
  @Query(() => PendingEmailChangeType, {
    nullable: true,
    description:
      'The e-mail address that was asked for and waits to be confirmed, for two days, whether or not it has an account; null: there is none.',
  })
  async pendingEmailChange(@Ctx() context: GraphqlContext): Promise<PendingEmailChangeType | null> {
    const pending = await this.changes.findPending(requireSession(context).accountId);
    return pending && { email: pending.email, askedAt: pending.askedAtMs };
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description:
      'Gives up the e-mail address that waits to be confirmed: its link is then invalid. True when one was requested.',
  })
  async cancelEmailChange(@Ctx() context: GraphqlContext): Promise<boolean> {
    return this.changes.cancel(requireSession(context).accountId);
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description:
      'Asks for another e-mail address. A link is mailed there, and the address changes once it is confirmed; the current one, if it is verified, is notified. True whether or not the new address has an account, in which case no link is mailed. At most 5 an hour, and 6 a day to one mailbox.',
  })
  async changeEmail(
    @Arg('input', () => ChangeEmailInput, { description: 'The address, and the proof.' })
    { newEmail, password }: ChangeEmailInput,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const viewer = requireSession(context);
    await this.changes.request({ viewer, password, address: context.addressOfCaller }, newEmail);
    return true;
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description:
      'Puts a new e-mail address in force by the token of the link that was mailed there, once and within 24 hours. The address is then verified. No sign-in is required.',
  })
  async confirmEmailChange(
    @Arg('token', () => String, { description: 'The part of the link after the #.' }) token: string,
  ): Promise<boolean> {
    if (token.length > textLengthMax) throw new InvalidInputError('token', 'Open the link as it was mailed.');
    await this.changes.confirm(token);
    return true;
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description:
      'Gives an account its former e-mail address back by the token of the link that was mailed there, once and within a week, and a new password with it. Ends every session of the account, and what was made since the change was asked for: passkeys, app, recovery codes, linked sign-ins, keys, members, invitations, webhooks and shared receipts; the mail says what. What members from before made stays. Nobody need be signed in, and nobody is afterwards.',
  })
  async undoEmailChange(
    @Arg('input', () => UndoEmailChangeInput, { description: 'The proof, and the new password.' })
    { token, newPassword, revokeKeys }: UndoEmailChangeInput,
  ): Promise<boolean> {
    await this.changes.undo({ token, newPassword, revokeKeys });
    return true;
  }
}
