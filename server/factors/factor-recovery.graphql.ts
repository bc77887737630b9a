import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { AppError, InvalidInputError } from '../kernel/app-error.js';
import { Access } from '../schema/access.js';
import { type GraphqlContext, requireSession } from '../schema/graphql-context.js';
import { DateTimeScalar } from '../schema/scalars.js';
import type { FactorRecovery } from './factor-recovery.js';
import type { SecondFactors } from './second-factors.js';

// Longer than any token; keeps nonsense from being hashed.
const tokenLengthMax = 200;

@Resolver()
export class FactorRecoveryResolver {
  constructor(
    private readonly recovery: FactorRecovery,
    private readonly secondFactors: Pick<SecondFactors, 'findSecondStep'>,
  ) {}

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, {
    description:
      'For somebody who has lost all factors: mails a link to the verified address, three times a day. Asked by a session, or by a browser whose sign-in waits for its second step.',
  })
  async requestFactorRecovery(@Ctx() context: GraphqlContext): Promise<boolean> {
    await this.recovery.request(await this.#findAsking(context));
    return true;
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => DateTimeScalar, {
    description:
      'Takes the token of that link, once and within 24 hours, and begins a wait of 72 hours, in which every session can cancel. Answers when it ends; from then on the next sign-in needs the password alone. Nobody need be signed in.',
  })
  async startFactorRecovery(
    @Arg('token', () => String, { description: 'The part of the link after the #.' }) token: string,
  ): Promise<number> {
    if (token.length > tokenLengthMax) throw new InvalidInputError('token', 'Open the link as it was mailed.');
    return this.recovery.start(token);
  }

  @Access({ keys: 'none', members: 'person' })
  @Mutation(() => Boolean, { description: 'Cancels the recovery, or the request for it. True when there was one.' })
  async cancelFactorRecovery(@Ctx() context: GraphqlContext): Promise<boolean> {
    return this.recovery.cancel(requireSession(context).accountId);
  }

  async #findAsking(context: GraphqlContext): Promise<string> {
    if (context.viewer !== null) return requireSession(context).accountId;
    const step = context.stepToken === null ? null : await this.secondFactors.findSecondStep(context.stepToken);
    if (step !== null) return step.accountId;
    throw new AppError('unauthenticated', 'Enter e-mail and password first.');
  }
}
