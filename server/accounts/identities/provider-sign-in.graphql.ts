import { Arg, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { Access } from '../../schema/access.js';
import type { GraphqlContext } from '../../schema/graphql-context.js';
import { originOf, SignInPayloadType, toSignInPayload } from '../accounts.graphql.js';
import { SecondStepError } from '../sign-in/sign-in-factors.js';
import type { ProviderSignIn } from './provider-sign-in.js';

@ObjectType('SignInProvider', { description: 'A provider by which people may sign in.' })
class SignInProviderType {
  @Field(() => ID, { description: 'What the settings call it, in lower case.' })
  id!: string;

  @Field(() => String, { description: 'What people call it.' })
  label!: string;

  @Field(() => String, {
    description:
      'The path that begins a sign-in, for a browser to open; `?next=` names a page of the dashboard to end at.',
  })
  startPath!: string;
}

@Resolver()
export class ProviderSignInResolver {
  constructor(private readonly providerSignIn: ProviderSignIn) {}

  @Access({ keys: 'any', members: 'person', isViewable: true })
  @Query(() => [SignInProviderType], { description: 'The providers by which people may sign in here.' })
  signInProviders(): SignInProviderType[] {
    return this.providerSignIn.list().map(({ id, label }) => ({ id, label, startPath: `/sign-in/with/${id}` }));
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => SignInPayloadType, {
    description:
      'Finishes a sign-in by another provider, from the browser that began it (a cookie says which), once and within 10 minutes. Whom nobody knows yet is given an account with the address that the provider has verified. `CONFLICT` when it has verified none, or an account has this address already: nobody is let in to that one before they have signed in to it and linked the provider. New accounts are refused as `signUp` says. `second_factor_required` as `signIn` says.',
  })
  async finishProviderSignIn(
    @Arg('invitation', () => String, {
      nullable: true,
      description: 'Where accounts are created by invitation: the part of its link after the #; null: none.',
    })
    invitation: string | null,
    @Ctx() context: GraphqlContext,
  ): Promise<SignInPayloadType> {
    context.clearProviderCookie();
    try {
      const signedIn = await this.providerSignIn.finish(context.providerToken, { from: originOf(context), invitation });
      return toSignInPayload(signedIn, context);
    } catch (error) {
      if (error instanceof SecondStepError) context.setStepCookie(error.token.reveal());
      throw error;
    }
  }
}
