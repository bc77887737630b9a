import { MaxLength } from 'class-validator';
import { Arg, Ctx, Field, InputType, Mutation, Resolver } from 'type-graphql';
import { Access } from '../../schema/access.js';
import type { GraphqlContext } from '../../schema/graphql-context.js';
import { NewPasswordByLink, textLengthMax } from './new-password-by-link.graphql.js';
import type { PasswordResets } from './password-resets.js';

@InputType('RequestPasswordResetInput', { description: 'Whose password was forgotten.' })
class RequestPasswordResetInput {
  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The e-mail address of the account.' })
  email!: string;
}

@InputType('ResetPasswordInput', { description: 'The proof that a mail was read, and the password that is to be.' })
class ResetPasswordInput extends NewPasswordByLink {}

@Resolver()
export class PasswordResetsResolver {
  constructor(private readonly resets: PasswordResets) {}

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description:
      'Mails a link by which a forgotten password can be replaced. True for every address, whether or not it has an account, and when such a mail was sent to it a moment ago. At most 5 requests for an address and 20 in all from one network in an hour.',
  })
  async requestPasswordReset(
    @Arg('input', () => RequestPasswordResetInput, { description: 'Whose password.' })
    { email }: RequestPasswordResetInput,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    await this.resets.request({ email, address: context.addressOfCaller });
    return true;
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description:
      'Chooses a new password by the token of a link that was mailed, once and within 30 minutes. Ends every session of the account, and verifies its address. API keys go on unless `revokeKeys` says otherwise; of an account whose address was never verified they are revoked, and everything else ends that lets somebody in or sends data out: passkeys, app, recovery codes, linked sign-ins, webhooks and shared receipts; the mail says what. Nobody need be signed in, and nobody is afterwards.',
  })
  async resetPassword(
    @Arg('input', () => ResetPasswordInput, { description: 'The proof, and the new password.' })
    { token, newPassword, revokeKeys }: ResetPasswordInput,
  ): Promise<boolean> {
    await this.resets.reset({ token, newPassword, revokeKeys });
    return true;
  }
}
