import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { isUniqueViolation } from '../../database/database-errors.js';
import { holdAccountRow } from '../../database/hold-account-row.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError, InvalidInputError, NotFoundError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId, isId } from '../../kernel/ids.js';
import { Secret } from '../../kernel/secret.js';
import { isPrintableWithin } from '../../kernel/texts/printable-text.js';
import type { Viewer } from '../../kernel/viewer.js';
import { createHolderToken, type PendingProofs, type ProofHolder } from '../pending-proofs.js';
import { PasskeyEntity } from './passkey.entity.js';
import {
  checkAssertion,
  createAssertionOptions,
  createNewPasskeyOptions,
  notThisPasskey,
  readBrowserResponse,
  readNewCredential,
} from './passkey-ceremonies.js';
import { getPasskeySite, type PasskeySite } from './passkey-site.js';
import type { StoredPasskey } from './stored-passkey.js';

/** Whose passkeys they are: where they stand, and what their proofs are begun as. */
export interface PasskeyHolders {
  readonly entity: new () => StoredPasskey;
  readonly kinds: Readonly<Record<'signIn' | 'proof' | 'added', ProofHolder['kind']>>;
  /** Makes two that are added for one holder at once wait for each other, until the transaction ends. */
  hold(transaction: EntityManager, holderId: string): Promise<void>;
}

export const passkeysOfAccounts: PasskeyHolders = {
  entity: PasskeyEntity,
  kinds: { signIn: 'passkey sign-in', proof: 'passkey proof', added: 'new passkey' },
  hold: holdAccountRow,
};

export interface PasskeysParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  readonly pendingProofs: PendingProofs;
  readonly publicUrl: string;
  /** Left out: those of accounts. */
  readonly of?: PasskeyHolders;
}

/** Whose passkey is added or asked for, in which session. */
type Holder = Pick<Viewer, 'accountId' | 'sessionId'>;
/** Written in the transaction that notes the use of a passkey. */
type AlsoUse = (transaction: EntityManager, accountId: string) => Promise<void>;
const nothingElse: AlsoUse = async () => {};

/** A passkey, as its owner may see it. */
export type Passkey = Readonly<Pick<StoredPasskey, 'id' | 'name' | 'createdAtMs' | 'lastUsedAtMs'>>;

/** Written in the transaction of a change. */
type Also = (transaction: EntityManager, passkey: Passkey) => Promise<void>;

const passkeysPerAccountMax = 20;
const nameLengthMax = 100;

/**
 * The passkeys of accounts. Each ceremony has a challenge of its own, good for ten minutes and one answer, right or wrong, of the
 * browser or session that began it. The authenticator has to verify its user each time.
 */
export class Passkeys {
  readonly #of: PasskeyHolders;

  constructor(private readonly parts: PasskeysParts) {
    this.#of = parts.of ?? passkeysOfAccounts;
  }

  /** The first made first. */
  async list(accountId: string): Promise<readonly Passkey[]> {
    return this.#findOf(accountId);
  }

  /** @returns options for `navigator.credentials.create`, as JSON. @throws AppError `conflict` with twenty, or without a name. */
  async startNew({ accountId, sessionId }: Holder, label: string): Promise<string> {
    const known = await this.#findOf(accountId);
    if (known.length >= passkeysPerAccountMax) throw tooMany();
    const { options, challenge } = await createNewPasskeyOptions(this.#site, { accountId, label, known });
    await this.parts.pendingProofs.begin(this.#holderOf('added', sessionId), { accountId, payload: challenge });
    return options;
  }

  /** @throws InvalidInputError for `name` or `response`; AppError `conflict` when it is known already, or one too many. */
  async add(
    { accountId, sessionId }: Holder,
    input: { readonly name: string; readonly response: string },
    also: Also,
  ): Promise<Passkey> {
    const { clock, pendingProofs, unitOfWork } = this.parts;
    const name = checkName(input.name);
    const response = readBrowserResponse(input.response);
    const pending = await pendingProofs.take(this.#holderOf('added', sessionId));
    if (pending === null) throw notThisPasskey();
    const credential = await readNewCredential(this.#site, pending.payload, response);
    const passkey: StoredPasskey = {
      id: createId('passkey'),
      accountId,
      name,
      ...credential,
      credentialHash: hashOf(credential.credentialId),
      createdAtMs: clock.nowMs(),
      lastUsedAtMs: null,
    };
    try {
      await unitOfWork.transactInTurn(accountId, async (transaction) => {
        await this.#of.hold(transaction, accountId);
        if ((await transaction.countBy(this.#of.entity, { accountId })) >= passkeysPerAccountMax) throw tooMany();
        await transaction.insert(this.#of.entity, passkey);
        await also(transaction, passkey);
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw new AppError('conflict', 'This passkey is known already.', { cause: error });
      throw error;
    }
    return passkey;
  }

  /** @throws NotFoundError; InvalidInputError for a name of other than 1 to 100 characters. */
  async rename(accountId: string, id: string, name: string, also: Also): Promise<Passkey> {
    const change = { name: checkName(name) };
    if (!isId('passkey', id)) throw new NotFoundError('passkey');
    return this.parts.unitOfWork.transactInTurn(accountId, async (transaction) => {
      await transaction.update(this.#of.entity, { id, accountId }, change);
      const passkey = await transaction.findOneBy(this.#of.entity, { id, accountId });
      if (passkey === null) throw new NotFoundError('passkey');
      await also(transaction, passkey);
      return passkey;
    });
  }

  /** @throws NotFoundError */
  async remove(accountId: string, id: string, also: Also): Promise<void> {
    if (!isId('passkey', id)) throw new NotFoundError('passkey');
    await this.parts.unitOfWork.transactInTurn(accountId, async (transaction) => {
      const passkey = await transaction.findOneBy(this.#of.entity, { id, accountId });
      const { affected } = await transaction.delete(this.#of.entity, { id, accountId });
      if (passkey === null || affected !== 1) throw new NotFoundError('passkey');
      await also(transaction, passkey);
    });
  }

  /** @returns options for `navigator.credentials.get`, and the token of the browser that may answer. */
  async startSignIn(): Promise<{ readonly options: string; readonly token: Secret }> {
    const holder = createHolderToken();
    const { options, challenge } = await createAssertionOptions(this.#site, []);
    await this.parts.pendingProofs.begin(this.#holderOf('signIn', holder), { accountId: null, payload: challenge });
    return { options, token: new Secret(holder) };
  }

  /** @param also Runs in the transaction that notes its use. @returns whose passkey has signed. @throws InvalidInputError for `response`. */
  finishSignIn(token: string, response: string, also = nothingElse): Promise<string> {
    return this.#finish(this.#holderOf('signIn', token), response, also);
  }

  /** @returns options for `navigator.credentials.get`. @throws NotFoundError when the account has no passkey. */
  async startProof({ accountId, sessionId }: Holder): Promise<string> {
    const known = await this.#findOf(accountId);
    if (known.length === 0) throw new NotFoundError('passkey');
    const { options, challenge } = await createAssertionOptions(this.#site, known);
    await this.parts.pendingProofs.begin(this.#holderOf('proof', sessionId), { accountId, payload: challenge });
    return options;
  }

  /** @throws InvalidInputError for `response`, also when it is another account's passkey. */
  async finishProof({ sessionId }: Pick<Holder, 'sessionId'>, response: string, also = nothingElse): Promise<void> {
    await this.#finish(this.#holderOf('proof', sessionId), response, also);
  }

  async #finish(of: ProofHolder, text: string, also: AlsoUse): Promise<string> {
    const { clock, pendingProofs, unitOfWork } = this.parts;
    const response = readBrowserResponse(text);
    const pending = await pendingProofs.take(of);
    const credentialHash = hashOf(response.credentialId);
    const passkey = pending && (await unitOfWork.reader.findOneBy(this.#of.entity, { credentialHash }));
    if (!passkey || (pending.accountId !== null && pending.accountId !== passkey.accountId)) throw notThisPasskey();
    const { id, accountId, counter } = passkey;
    const handle = response.userHandle;
    if (handle !== null && Buffer.from(handle, 'base64url').toString() !== accountId) throw notThisPasskey();
    const ceremony = { response, credential: passkey };
    const change = {
      counter: await checkAssertion(this.#site, pending.payload, ceremony),
      lastUsedAtMs: clock.nowMs(),
    };
    await unitOfWork.transact(async (transaction) => {
      const { affected } = await transaction.update(this.#of.entity, { id, accountId, counter }, change);
      if (affected !== 1) throw notThisPasskey();
      await also(transaction, accountId);
    });
    return accountId;
  }

  #holderOf(kind: keyof PasskeyHolders['kinds'], holder: string): ProofHolder {
    return { kind: this.#of.kinds[kind], holder };
  }

  #findOf(accountId: string): Promise<StoredPasskey[]> {
    return this.parts.unitOfWork.reader.find(this.#of.entity, { where: { accountId }, order: { id: 'ASC' } });
  }

  get #site(): PasskeySite {
    return getPasskeySite(this.parts.publicUrl);
  }
}

/** Whether an account has any, in the caller's transaction. */
export function hasPasskeys(transaction: EntityManager, accountId: string): Promise<boolean> {
  return transaction.existsBy(PasskeyEntity, { accountId });
}

/** Takes all of an account's away, in the caller's transaction. */
export async function deletePasskeys(transaction: EntityManager, accountId: string): Promise<void> {
  await transaction.delete(PasskeyEntity, { accountId });
}

function checkName(text: string): string {
  const name = text.trim();
  if (isPrintableWithin(name, 1, nameLengthMax)) return name;
  throw new InvalidInputError(
    'name',
    `A name has 1 to ${nameLengthMax} printable characters, at least one of them visible.`,
  );
}

function tooMany(): AppError {
  return new AppError('conflict', `Your account has ${passkeysPerAccountMax} passkeys, which is the most. Remove one.`);
}

function hashOf(credentialId: string): string {
  return createHash('sha256').update(credentialId).digest('hex');
}
