import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { noteEvent } from '../../audit/note-event.js';
import { isUniqueViolation } from '../../database/database-errors.js';
import { holdAccountRow } from '../../database/hold-account-row.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { AppError, NotFoundError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId, isId } from '../../kernel/ids.js';
import { hasVisible, onlyPrintable } from '../../kernel/texts/printable-text.js';
import type { ProvenIdentity } from './identity-provider.js';
import { LinkedIdentityEntity } from './linked-identity.entity.js';
import { assertWayIn } from './ways-in.js';

export type LinkedIdentity = Readonly<
  Pick<LinkedIdentityEntity, 'id' | 'accountId' | 'provider' | 'label' | 'createdAtMs' | 'lastUsedAtMs'>
>;

/** Somebody at the provider of this id. */
export interface IdentityAt {
  readonly provider: string;
  readonly identity: ProvenIdentity;
}

export interface LinkedIdentitiesParts {
  readonly unitOfWork: UnitOfWork;
  readonly clock: Clock;
  /** Tells the owner by mail, in the transaction of the change itself. */
  readonly notices: {
    compose(
      accountId: string,
      news: 'identityLinked' | 'identityUnlinked',
    ): Promise<(transaction: EntityManager) => Promise<void>>;
  };
}

const identitiesPerAccountMax = 10;
const labelLengthMax = 191;

/** Who at other providers may sign in to which account: each of them to one account at most. */
export class LinkedIdentities {
  constructor(private readonly parts: LinkedIdentitiesParts) {}

  /** The first linked first; at most 10. */
  list(accountId: string): Promise<readonly LinkedIdentity[]> {
    return this.parts.unitOfWork.reader.find(LinkedIdentityEntity, { where: { accountId }, order: { id: 'ASC' } });
  }

  /** Whose account an identity signs in to; null: nobody's. */
  find(identity: ProvenIdentity): Promise<LinkedIdentity | null> {
    return this.parts.unitOfWork.reader.findOneBy(LinkedIdentityEntity, { identityHash: hashOf(identity) });
  }

  async noteUse({ id }: LinkedIdentity): Promise<void> {
    const change = { lastUsedAtMs: this.parts.clock.nowMs() };
    await this.parts.unitOfWork.transact((transaction) => transaction.update(LinkedIdentityEntity, { id }, change));
  }

  /**
   * Links an identity, in the caller's transaction, with its event.
   * @throws AppError `conflict` with ten; a violation of uniqueness when it is linked already, to whatever account.
   */
  async insert(transaction: EntityManager, accountId: string, { provider, identity }: IdentityAt) {
    await holdAccountRow(transaction, accountId);
    if ((await transaction.countBy(LinkedIdentityEntity, { accountId })) >= identitiesPerAccountMax) {
      const words = `Your account has ${identitiesPerAccountMax} linked sign-ins, which is the most. Unlink one.`;
      throw new AppError('conflict', words);
    }
    const label = labelOf(identity);
    const linked: LinkedIdentityEntity = {
      id: createId('linkedIdentity'),
      accountId,
      provider,
      label,
      identityHash: hashOf(identity),
      createdAtMs: this.parts.clock.nowMs(),
      lastUsedAtMs: null,
    };
    await transaction.insert(LinkedIdentityEntity, linked);
    await noteEvent(transaction, {
      accountId,
      kind: 'identity_linked',
      subjectId: linked.id,
      detail: `${provider}: ${label}`,
    });
    return linked;
  }

  /** Links an identity to the account of its owner, who is told. @throws AppError `conflict` with ten, or when it is linked already. */
  async link(accountId: string, identity: IdentityAt): Promise<LinkedIdentity> {
    const tell = await this.parts.notices.compose(accountId, 'identityLinked');
    try {
      return await this.parts.unitOfWork.transactInTurn(accountId, async (transaction) => {
        const linked = await this.insert(transaction, accountId, identity);
        await tell(transaction);
        return linked;
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const words = 'This sign-in is linked already, to your account or another one. Unlink it there first.';
      throw new AppError('conflict', words, { cause: error });
    }
  }

  /** @throws NotFoundError; AppError `conflict` when nothing else would sign its owner in. */
  async unlink(accountId: string, id: string): Promise<void> {
    if (!isId('linkedIdentity', id)) throw new NotFoundError('linked sign-in');
    const tell = await this.parts.notices.compose(accountId, 'identityUnlinked');
    await this.parts.unitOfWork.transactInTurn(accountId, async (transaction) => {
      const linked = await transaction.findOneBy(LinkedIdentityEntity, { id, accountId });
      const { affected } = await transaction.delete(LinkedIdentityEntity, { id, accountId });
      if (linked === null || affected !== 1) throw new NotFoundError('linked sign-in');
      await assertWayIn(transaction, accountId);
      const detail = `${linked.provider}: ${linked.label}`;
      await noteEvent(transaction, { accountId, kind: 'identity_unlinked', subjectId: id, detail });
      await tell(transaction);
    });
  }
}

function hashOf({ issuer, subject }: ProvenIdentity): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
}

function labelOf({ email, login, name, subject }: ProvenIdentity): string {
  const text = [email, login, name].find((one) => one !== null && hasVisible(one)) ?? subject;
  return onlyPrintable(text).slice(0, labelLengthMax);
}
