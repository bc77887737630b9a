import type { ApolloServerPlugin, GraphQLRequestContextDidResolveOperation } from '@apollo/server';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { networkOf } from '../../kernel/addresses/network-address.js';
import { AppError } from '../../kernel/app-error.js';
import { type AttemptCounter, type OpenAttemptCounter, openMemoryCounter } from '../../kernel/attempt-counter.js';
import type { GraphqlContext } from '../../schema/graphql-context.js';
import { valuesMax } from './answer-size.js';
import { costMax, measureCost } from './query-cost.js';
import { measureReports } from './report-size.js';

type Asker = Pick<GraphqlContext, 'viewer' | 'addressOfCaller'>;
type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** How often one person, one account by its keys, or somebody who is not signed in from one network, may do something. */
interface OperationLimit {
  readonly times: number;
  readonly seconds: number;
  /** It saves this process work, and so each process counts for itself. */
  readonly isOfProcess?: boolean;
}

const minute = 60;
const hour = 60 * minute;

/** Beside these, each request counts as a query or as a mutation. Under several aliases a field counts as often. */
const limitsOfFields: Readonly<Record<string, OperationLimit>> = {
  signIn: { times: 60, seconds: minute },
  changeEmail: { times: 20, seconds: hour },
  finishSignIn: { times: 60, seconds: minute },
  startPasskeySignIn: { times: 60, seconds: minute },
  finishPasskeySignIn: { times: 60, seconds: minute },
  requestFactorRecovery: { times: 10, seconds: hour },
  startFactorRecovery: { times: 60, seconds: minute },
  startPasskey: { times: 60, seconds: hour },
  proveFactor: { times: 60, seconds: hour },
  startAuthenticatorApp: { times: 20, seconds: hour },
  confirmAuthenticatorApp: { times: 60, seconds: hour },
  changePassword: { times: 20, seconds: hour },
  deleteAccount: { times: 20, seconds: hour },
  createApiKey: { times: 60, seconds: hour },
  inviteMember: { times: 60, seconds: hour },
  acceptInvitation: { times: 60, seconds: hour },
  declineInvitation: { times: 60, seconds: hour },
  invitationOffer: { times: 60, seconds: minute },
  rotateApiKey: { times: 60, seconds: hour },
  startCheckout: { times: 60, seconds: hour },
  startCardSetup: { times: 30, seconds: hour },
  sendVerificationEmail: { times: 10, seconds: hour },
  setBalanceAlert: { times: 60, seconds: hour },
  createWebhookEndpoint: { times: 60, seconds: hour },
  updateWebhookEndpoint: { times: 60, seconds: hour },
  rotateWebhookSecret: { times: 60, seconds: hour },
  resendWebhookDelivery: { times: 60, seconds: hour },
  sendTestWebhook: { times: 60, seconds: hour },
  requestPasswordReset: { times: 60, seconds: minute },
  resetPassword: { times: 60, seconds: minute },
  confirmEmailChange: { times: 60, seconds: minute },
  undoEmailChange: { times: 60, seconds: minute },
  verifyEmail: { times: 60, seconds: minute },
  redeemGiftCode: { times: 20, seconds: hour },
  explore: { times: 240, seconds: minute, isOfProcess: true },
  latency: { times: 120, seconds: minute, isOfProcess: true },
  spending: { times: 120, seconds: minute, isOfProcess: true },
  usage: { times: 240, seconds: minute, isOfProcess: true },
};
const limitsOfKinds = {
  query: { times: 600, seconds: minute, isOfProcess: true },
  mutation: { times: 120, seconds: minute },
  subscription: { times: 60, seconds: minute, isOfProcess: true },
  signedOut: { times: 600, seconds: minute },
} as const satisfies Record<string, OperationLimit>;

/**
 * The last look at a valid request before it runs: what it would cost, whether this caller may look at the schema, and
 * whether it comes too often. What changes something, and what somebody asks who is not signed in, all instances count together.
 */
export class OperationGate {
  readonly #counters = new Map<string, AttemptCounter>();

  constructor(private readonly openCounter: OpenAttemptCounter = openMemoryCounter) {}

  get plugin(): ApolloServerPlugin<GraphqlContext> {
    return {
      requestDidStart: async () => ({
        didResolveOperation: (request) => this.#judge(request).catch(throwAnswered),
      }),
    };
  }

  /** Counts a subscription that is served elsewhere than by Apollo. @throws AppError `rate_limit_exceeded`. */
  async countSubscription(asker: Asker): Promise<void> {
    await this.#take('subscription', limitsOfKinds.subscription, asker);
  }

  async #judge(request: GraphQLRequestContextDidResolveOperation<GraphqlContext>): Promise<void> {
    const { document, operation, contextValue } = request;
    // Apollo itself refuses a document without the operation that was named.
    if (!operation) return;
    if (contextValue.viewer === null && asksForSchema(document)) {
      throw new AppError('unauthenticated', 'Sign in to ask for the schema. For people, it is at /docs.');
    }
    const variables = request.request.variables ?? {};
    const fragments = listFragments(document);
    if (measureCost({ operation, fragments, variables }) > costMax) {
      throw refuse(`This asks for more than ${costMax} fields. Ask for fewer at a time.`);
    }
    if (measureReports({ operation, fragments, variables }) > valuesMax) {
      throw refuse(
        `This asks for reports of more than ${valuesMax} values. Ask for less time, longer buckets, fewer groups, fewer fields, or for one report at a time.`,
      );
    }
    const kind = contextValue.viewer === null ? 'signedOut' : operation.operation;
    await this.#take(kind, limitsOfKinds[kind], contextValue);
    if (operation.operation === 'subscription') {
      const words =
        'No subscriptions are served here. Send this one to POST /graphql/stream, or by WebSocket to /graphql.';
      throw new AppError('unsupported_value', words);
    }
    for (const name of listRootFields(operation.selectionSet, fragments)) {
      const limit = limitsOfFields[name];
      if (limit) await this.#take(name, limit, contextValue);
    }
  }

  async #take(name: string, limit: OperationLimit, asker: Asker) {
    const counter = this.#counters.get(name) ?? this.#open(name, limit);
    this.#counters.set(name, counter);
    const { waitMs } = await counter.count(nameAsker(asker));
    if (waitMs === 0) return;
    const words = `Too often. Try again in ${Math.ceil(waitMs / 1_000)} s.`;
    throw new AppError('rate_limit_exceeded', words, { retryAfterMs: waitMs });
  }

  #open(name: string, { times, seconds, isOfProcess = false }: OperationLimit): AttemptCounter {
    const rule = { kind: `operation ${name}`, max: times, windowMs: seconds * 1_000, isFinal: true };
    return (isOfProcess ? openMemoryCounter : this.openCounter)(rule);
  }
}

/** To whose share a request counts: of the person, the account of a key, or the network of somebody who is not signed in. */
export function nameAsker({ viewer, addressOfCaller }: Asker): string {
  // Whoever looks as a customer takes nothing of what that customer may ask.
  if (!viewer) return networkOf(addressOfCaller);
  // An owner is named as their account is, and does not wait behind its keys.
  return viewer.operatorId ?? viewer.personId ?? `keys of ${viewer.accountId}`;
}

// Each fragment counts once: the root fields are bounded by then. What is asked for twice under one name is answered once.
function listRootFields(selections: SelectionSetNode, fragments: Fragments): Iterable<string> {
  const nameOf = new Map<string, string>();
  const seen = new Set<string>();
  const collect = ({ selections: parts }: SelectionSetNode): void => {
    for (const part of parts) {
      if (part.kind === Kind.FIELD) nameOf.set((part.alias ?? part.name).value, part.name.value);
      else if (part.kind === Kind.INLINE_FRAGMENT) collect(part.selectionSet);
      else if (!seen.has(part.name.value)) {
        seen.add(part.name.value);
        const fragment = fragments.get(part.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  collect(selections);
  return nameOf.values();
}

function refuse(words: string): GraphQLError {
  return new GraphQLError(words, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } } });
}

// Answered as what a resolver refuses: with status 200, which is what clients expect a GraphQL error to come with.
function throwAnswered(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new GraphQLError(error.message, { originalError: error, extensions: { http: { status: 200 } } });
}

function asksForSchema(document: DocumentNode): boolean {
  let isAsking = false;
  visit(document, {
    Field({ name }) {
      isAsking ||= name.value === '__schema' || name.value === '__type';
    },
  });
  return isAsking;
}

function listFragments(document: DocumentNode): Fragments {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}
