import { MaxLength } from 'class-validator';
import { Arg, Ctx, Field, InputType, Mutation, Resolver } from 'type-graphql';
import { Access } from '../schema/access.js';
import { type GraphqlContext, requireSession } from '../schema/graphql-context.js';
import type { AccountSettings } from './account-settings.js';
import { AccountType, toAccountType } from './account-type.graphql.js';
import type { SessionService } from './sign-in/session-service.js';

// The rules that a person is told about are `sign-up-rules.ts`; this bound only keeps nonsense away from them.
const textLengthMax = 1_000;

@InputType('UpdateProfileInput', { description: 'What is to change about an account.' })
class UpdateProfileInput {
  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'What to call its owner: 1 to 100 characters.' })
  name!: string;
}

@InputType('ChangePasswordInput', { description: 'The password that is, and the one that is to be.' })
class ChangePasswordInput {
  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The password of the account, as it is now.' })
  currentPassword!: string;

  @MaxLength(textLengthMax)
  @Field(() => String, { description: '8 to 128 characters, and none that is tried first.' })
  newPassword!: string;
}

@InputType('DeleteAccountInput', { description: 'The proof that the owner of an account wants it gone.' })
class DeleteAccountInput {
  @MaxLength(textLengthMax)
  @Field(() => String, { description: 'The password of the account.' })
  password!: string;
}

@Resolver()
export class AccountSettingsResolver {
  constructor(
    private readonly settings: AccountSettings,
    private readonly sessionService: SessionService,
  ) {}

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => AccountType, { description: 'Changes what the account is called.' })
  async updateProfile(
    @Arg('input', () => UpdateProfileInput, { description: 'What is to change.' }) { name }: UpdateProfileInput,
    @Ctx() context: GraphqlContext,
  ): Promise<AccountType> {
    return toAccountType(await this.settings.rename(requireSession(context).accountId, name));
  }

  @Access({ keys: 'none', members: 'person', proof: 'with a factor' })
  @Mutation(() => Boolean, {
    description:
      'Changes the password and ends every session but the one that asks. After 10 wrong passwords in 15 minutes one has to wait.',
  })
  async changePassword(
    @Arg('input', () => ChangePasswordInput, { description: 'Both passwords.' }) input: ChangePasswordInput,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const viewer = requireSession(context);
    const proof = { viewer, password: input.currentPassword, address: context.addressOfCaller };
    await this.settings.changePassword(proof, input.newPassword);
    // Whoever has copied the cookie is left outside, too. A script would not know its new token.
    if (context.isSignedInByCookie) {
      context.setSessionCookie(await this.sessionService.renewToken(viewer.sessionId));
    }
    return true;
  }

  @Access({ keys: 'none', members: 'own account', proof: 'with a factor' })
  @Mutation(() => Boolean, {
    description:
      'Deletes the account for good. Its key stops working and every session ends at once; running calls end and are billed. **Credits that are left are lost**: spend them first, or ask for a refund of what you bought. Name and e-mail are erased, so the same e-mail may sign up again; what was bought and used stays in the books without them.',
  })
  async deleteAccount(
    @Arg('input', () => DeleteAccountInput, { description: 'The proof.' }) { password }: DeleteAccountInput,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const viewer = requireSession(context);
    await this.settings.deleteAccount({ viewer, password, address: context.addressOfCaller });
    context.clearSessionCookie();
    return true;
  }
}
