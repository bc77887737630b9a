import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { InvalidInputError } from '../../kernel/app-error.js';
import { Access } from '../../schema/access.js';
import { type GraphqlContext, requireSession } from '../../schema/graphql-context.js';
import type { EmailVerifications } from './email-verifications.js';

// Longer than any token; keeps nonsense from being hashed.
const tokenLengthMax = 200;

@Resolver()
export class EmailVerificationsResolver {
  constructor(private readonly verifications: EmailVerifications) {}

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description:
      'Mails another link that verifies the account’s address: three an hour, and six a day to one mailbox. True when it is on its way.',
  })
  async sendVerificationEmail(@Ctx() context: GraphqlContext): Promise<boolean> {
    await this.verifications.sendAgain(requireSession(context).accountId);
    return true;
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description:
      'Verifies an address by the token of a link that was mailed there, once and within 24 hours. No sign-in is required.',
  })
  async verifyEmail(
    @Arg('token', () => String, { description: 'The part of the link after the #.' }) token: string,
  ): Promise<boolean> {
    if (token.length > tokenLengthMax) throw new InvalidInputError('token', 'Open the link as it was mailed.');
    await this.verifications.verify(token);
    return true;
  }
}
