import { AppError } from '../kernel/app-error.js';
import type { GraphqlContext } from '../schema/graphql-context.js';
import type { OperatorCaller } from './people/operator-sessions.js';

/** Operators have a cookie of their own, and their scripts tokens; nothing else lets them in: no session or key of a customer. */
export interface OperatorDoor {
  /** The operator who asks; null: none, or one whose session has ended. Asked once for each request. @throws AppError for a token that is worth nothing. */
  find(): Promise<OperatorCaller | null>;
  setCookie(token: string): void;
  clearCookie(): void;
}

/** What a resolver of operators may know about the request that it serves. */
export interface OperatorContext extends GraphqlContext {
  /** How operators come in and out; left out where they are not served. */
  readonly operators?: OperatorDoor;
}

/** @throws AppError `unauthenticated` where no operator is signed in. A session or key of a customer is none. */
export async function requireOperator({ operators }: Pick<OperatorContext, 'operators'>): Promise<OperatorCaller> {
  const operator = (await operators?.find()) ?? null;
  if (operator !== null) return operator;
  throw new AppError('unauthenticated', 'This is for operators. Sign in at /operator.');
}
