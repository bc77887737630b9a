import { Extensions } from 'type-graphql';
import { type KeyScope, mayWrite } from '../kernel/api-key.js';
import { type MemberRole, memberRoles } from '../kernel/member-role.js';

/** Who may ask an operation. It stands beside the operation, and is written into its description. */
export interface Access {
  /** API keys: any; none, since it is for a person who is signed in; or those with one of these scopes. */
  readonly keys: 'any' | 'none' | readonly KeyScope[];
  /**
   * Members of an account, who ask about it: those with one of these roles. `person`: it is about whoever is signed in, or about
   * nobody, and asks for no role. `own account`: it is about all that a person signed up with, so it takes the owner of that
   * account, in a session that acts for it.
   */
  readonly members: 'person' | 'own account' | readonly MemberRole[];
  /** When a session is asked for a fresh proof of who is there. Left out: never. Keys are asked for none. */
  readonly proof?: Proof;
  /**
   * Whether an operator may ask it who looks at an account as its customer sees it: only what reads the account, and what every
   * dashboard shows. Left out: no.
   */
  readonly isViewable?: boolean;
}

/**
 * Always; only where the account has a factor, since the operation takes the password itself; when its arguments ask for something
 * dangerous; or when they do beside what is stored.
 */
export type Proof = 'always' | 'with a factor' | ProofByArguments | ProofByState;

export interface ProofByArguments {
  /** As the description says it, such as `For scopes that write`. */
  readonly words: string;
  isAskedFor(args: Readonly<Record<string, unknown>>): boolean;
}

/** The operation asks by `requireFreshProof` itself, once it has looked at what it is about to change. */
export interface ProofByState {
  /** As the description says it. */
  readonly words: string;
  readonly isAskedInside: true;
}

/** What says nothing of its access is closed to everybody. */
export const closed: Access = { keys: 'none', members: [] };

export const everybody = memberRoles;
export const managers: readonly MemberRole[] = ['owner', 'admin'];
export const payers: readonly MemberRole[] = ['owner', 'admin', 'billing'];
export const builders: readonly MemberRole[] = ['owner', 'admin', 'developer'];

export const whenScopesWrite: ProofByArguments = {
  words: 'For scopes that write',
  isAskedFor({ input }) {
    const { scopes } = (input ?? {}) as { readonly scopes?: readonly KeyScope[] | null };
    return mayWrite(scopes);
  },
};

/** Asked inside: a change that leaves the scopes out tells nothing of what the key may do. */
export const whenKeyWrites: Proof = {
  words: 'For a key with scopes that write, before the change or after it',
  isAskedInside: true,
};

/** Of the subscription; asked again while it runs. */
export const balanceAccess: Access = { keys: ['usage:read'], members: everybody };

/** Opens a query, mutation or subscription to these callers. */
export function Access(access: Access): MethodDecorator {
  return Extensions({ access });
}

/** Who may ask an operation of the schema. */
export function accessOf({ extensions }: { readonly extensions: Readonly<Record<string, unknown>> }): Access {
  return (extensions.access as Access | undefined) ?? closed;
}
