import { MaxLength } from 'class-validator';
import { Arg, Ctx, Field, InputType, Mutation, Resolver } from 'type-graphql';
import { InvalidInputError } from '../../kernel/app-error.js';
import { Access } from '../../schema/access.js';
import { type GraphqlContext, requireSession } from '../../schema/graphql-context.js';
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

@Resolver()
export class EmailChangesResolver {
  constructor(private readonly changes: EmailChanges) {}

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description:
      'Asks for another e-mail address. A link is mailed there, and the address changes once it is confirmed; the present one, if it is verified, is told. True whether or not the new address has an account, in which case no link is mailed. At most 5 an hour, and 6 a day to one mailbox.',
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
      'Puts a new e-mail address in force by the token of the link that was mailed there, once and within 24 hours. It is verified by that. Nobody need be signed in.',
  })
  async confirmEmailChange(
    @Arg('token', () => String, { description: 'What stands behind the # of the link.' }) token: string,
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
