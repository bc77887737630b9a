import { MaxLength } from 'class-validator';
import { Arg, Ctx, Field, InputType, Mutation, Resolver } from 'type-graphql';
import { Access } from '../../schema/access.js';
import type { GraphqlContext } from '../../schema/graphql-context.js';
import { originOf, SignInPayloadType, toSignInPayload } from '../accounts.graphql.js';
import type { FactorSignIn } from './factor-sign-in.js';

// Longer than any code, however it is typed; keeps nonsense from being hashed.
const codeLengthMax = 100;
const responseLengthMax = 20_000;

@InputType('FinishSignInInput', { description: 'The second step of a sign-in.' })
class FinishSignInInput {
  @MaxLength(codeLengthMax)
  @Field(() => String, { description: 'The six digits of the authenticator app, or a recovery code.' })
  code!: string;
}

@InputType('FinishPasskeySignInInput', { description: 'What a passkey has signed.' })
class FinishPasskeySignInInput {
  @MaxLength(responseLengthMax)
  @Field(() => String, { description: 'What `navigator.credentials.get` answered, as JSON.' })
  response!: string;
}

@Resolver()
export class FactorSignInResolver {
  constructor(private readonly factorSignIn: FactorSignIn) {}

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => SignInPayloadType, {
    description:
      'Finishes a sign-in that was answered with the reason `second_factor_required`, from the same browser (a cookie says which) and within 10 minutes. After 10 wrong codes in 15 minutes, or 50 in a day, one has to wait; a browser that has signed in before is counted by itself.',
  })
  async finishSignIn(
    @Arg('input', () => FinishSignInInput, { description: 'The second step.' }) { code }: FinishSignInInput,
    @Ctx() context: GraphqlContext,
  ): Promise<SignInPayloadType> {
    const from = originOf(context);
    const signedIn = await this.factorSignIn.finish({ token: context.stepToken, code, from });
    context.clearStepCookie();
    return toSignInPayload(signedIn, context);
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => String, {
    description:
      'Begins a sign-in by a passkey, without e-mail and password: options for `navigator.credentials.get`, as JSON. `finishPasskeySignIn` of the same browser has ten minutes, and one try.',
  })
  async startPasskeySignIn(@Ctx() context: GraphqlContext): Promise<string> {
    const { options, token } = await this.factorSignIn.startPasskey();
    context.setStepCookie(token.reveal());
    return options;
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => SignInPayloadType, { description: 'Begins the session of the person whose passkey has signed.' })
  async finishPasskeySignIn(
    @Arg('input', () => FinishPasskeySignInInput, { description: 'What it has signed.' })
    { response }: FinishPasskeySignInInput,
    @Ctx() context: GraphqlContext,
  ): Promise<SignInPayloadType> {
    const from = originOf(context);
    context.clearStepCookie();
    const signedIn = await this.factorSignIn.finishPasskey({ token: context.stepToken, response, from });
    return toSignInPayload(signedIn, context);
  }
}
