import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { type EntityManager, In } from 'typeorm';
import { isUniqueViolation } from '../../database/database-errors.js';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { maskAddress, parseNetwork, readAddress } from '../../kernel/addresses/network-address.js';
import { AppError, InvalidInputError } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { normaliseEmail } from '../mailbox.js';
import { SignUpBlockEntity, type SignUpBlockKind } from './sign-up-block.entity.js';

export type SignUpBlock = Readonly<SignUpBlockEntity>;

/** Whether everybody, whoever is invited, or nobody can make an account. */
export const signUpModes = ['open', 'invited', 'closed'] as const;
export type SignUpMode = (typeof signUpModes)[number];

interface NamedBlock {
  readonly kind: SignUpBlockKind;
  readonly value: string;
}

type Also = (transaction: EntityManager) => Promise<void>;

interface Who {
  readonly reason: string;
  /** As the operators' log names them. */
  readonly createdBy: string;
}

const everybody = { kind: 'everybody', value: 'everybody' } as const;
const uninvited = { kind: 'uninvited', value: 'uninvited' } as const;
/** One row is looked up for each of these lengths, so there are few. */
const lengthsOfIPv4 = [8, 16, 24, 32] as const;
const lengthsOfIPv6 = [32, 48, 56, 64] as const;
const blocksMax = 5_000;
const labelsLookedAtMax = 10;
const domainShape = /^(?=.{4,191}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * Networks and mail domains that nobody signs up from, and whether anybody or only invited people sign up. They are read from the database at each sign-up, so a change is in force on every
 * instance at once. Accounts that there are, and signing in, are not touched.
 */
export class SignUpBlocks {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns whether an invitation is needed.
   * @throws InvalidInputError for an `email` of a blocked domain; AppError `forbidden` for a blocked network, or where nobody signs up.
   */
  async assertOpen(email: string, address: string): Promise<{ readonly isByInvitation: boolean }> {
    const found = await this.unitOfWork.reader.find(SignUpBlockEntity, {
      select: { kind: true, value: true },
      where: [
        { kind: 'network', value: In(networksOf(address)) },
        { kind: 'domain', value: In(domainsOf(email)) },
        everybody,
        uninvited,
      ],
    });
    if (found.some(({ kind }) => kind === 'everybody')) {
      const words = 'Nobody can sign up here at present. Contact the operator of this server.';
      throw new AppError('forbidden', words);
    }
    if (found.some(({ kind }) => kind === 'network')) {
      const words = 'Nobody can sign up from your network at present. Contact the operator of this server.';
      throw new AppError('forbidden', words);
    }
    const blocked = found.find(({ kind }) => kind === 'domain');
    if (blocked === undefined) return { isByInvitation: found.length > 0 };
    throw new InvalidInputError(
      'email',
      `Accounts cannot be created with addresses of ${blocked.value}. Use another address.`,
    );
  }

  /** Whether everybody, invited people or nobody can sign up, and who has set it; null: nobody has, and it is open. */
  async findMode(): Promise<{ readonly mode: SignUpMode; readonly setBy: SignUpBlock | null }> {
    const rows = await this.unitOfWork.reader.find(SignUpBlockEntity, { where: [everybody, uninvited] });
    const closing = rows.find(({ kind }) => kind === 'everybody');
    if (closing) return { mode: 'closed', setBy: closing };
    return rows[0] ? { mode: 'invited', setBy: rows[0] } : { mode: 'open', setBy: null };
  }

  /** Sets that, on every instance at once. @param also Runs in the transaction that writes it. */
  async setMode(mode: SignUpMode, { reason, createdBy }: Who, also: Also): Promise<void> {
    const row = { open: null, invited: uninvited, closed: everybody }[mode];
    await this.unitOfWork.transact(async (transaction) => {
      for (const set of [everybody, uninvited]) await transaction.delete(SignUpBlockEntity, set);
      if (row !== null)
        await transaction.insert(SignUpBlockEntity, { ...row, reason, createdBy, createdAtMs: this.clock.nowMs() });
      await also(transaction);
    });
  }

  /** The newest first; at most 5,000. */
  async list(): Promise<readonly SignUpBlock[]> {
    return this.unitOfWork.reader.find(SignUpBlockEntity, {
      order: { createdAtMs: 'DESC', value: 'ASC' },
      take: blocksMax,
    });
  }

  /**
   * Blocks everybody (`everybody`), whoever has no invitation (`uninvited`), a network (a single address, or one with /8, /16, /24 or /32; of IPv6 /32, /48, /56 or /64) or a domain and all below it.
   * @param also Runs in the transaction that writes it, with the value as it is kept.
   * @throws InvalidInputError for another `value`; AppError `conflict` when it is blocked already, or 5,000 are.
   */
  async add(
    { value: text, reason, createdBy }: Who & { readonly value: string },
    also: (transaction: EntityManager, value: string) => Promise<void>,
  ): Promise<SignUpBlock> {
    const block = { ...readBlock(text), reason, createdBy, createdAtMs: this.clock.nowMs() };
    try {
      await this.unitOfWork.transact(async (transaction) => {
        if ((await transaction.count(SignUpBlockEntity)) >= blocksMax) {
          throw new AppError(
            'conflict',
            `At most ${blocksMax} can be blocked. Take out some, or block a wider network.`,
          );
        }
        await transaction.insert(SignUpBlockEntity, block);
        await also(transaction, block.value);
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw new AppError('conflict', `${block.value} is blocked already.`);
      throw error;
    }
    return block;
  }

  /** @throws InvalidInputError as `add`; AppError `not_found` when it is not blocked. */
  async remove(text: string, also: Also): Promise<void> {
    const block = readBlock(text);
    await this.unitOfWork.transact(async (transaction) => {
      const { affected } = await transaction.delete(SignUpBlockEntity, block);
      if (affected !== 1) throw new AppError('not_found', `${block.value} is not blocked.`);
      await also(transaction);
    });
  }
}

/** @throws InvalidInputError naming `value`. */
function readBlock(text: string): NamedBlock {
  const wanted = text.trim().toLowerCase();
  if (wanted === everybody.value) return everybody;
  if (wanted === uninvited.value) return uninvited;
  const network = parseNetwork(wanted);
  if (network !== null) {
    const lengths: readonly number[] = network.family === 'ipv4' ? lengthsOfIPv4 : lengthsOfIPv6;
    const length = wanted.includes('/') ? network.prefixLength : lengths.at(-1);
    if (lengths.some((one) => one === length))
      return { kind: 'network', value: maskAddress(network.address, Number(length)) };
  }
  const domain = domainToASCII(wanted.replace(/^@/, ''));
  // What comes after a slash would be left out of the name.
  if (network === null && !wanted.includes('/') && domainShape.test(domain)) return { kind: 'domain', value: domain };
  const words =
    'Name a mail domain such as example.com, an address, a network with /8, /16, /24 or /32 (IPv6: /32, /48, /56 or /64), everybody, or uninvited.';
  throw new InvalidInputError('value', words);
}

function networksOf(from: string): string[] {
  const address = readAddress(from);
  if (isIPv4(address)) return lengthsOfIPv4.map((length) => maskAddress(address, length));
  return isIPv6(address) ? lengthsOfIPv6.map((length) => maskAddress(address, length)) : [];
}

function domainsOf(email: string): string[] {
  const domain = domainToASCII(normaliseEmail(email).split('@').at(-1) ?? '');
  const labels = domain.split('.').slice(-labelsLookedAtMax);
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'));
}
