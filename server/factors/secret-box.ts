import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { DatabaseAddress } from '../database/database-address.js';
import { AppError } from '../kernel/app-error.js';
import { giveToOwnerOf, syncFolder } from '../kernel/folders.js';
import { Secret } from '../kernel/secret.js';
import { PlainFailure } from '../kernel/settings/plain-failure.js';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Where the key of `SecretBox` comes from. */
export interface SecretBoxSettings {
  /** null: on SQLite a file beside the database holds one, which is made when it is first needed. */
  readonly secretsKey: Secret | null;
  /** The key before it, which opens what it has sealed and seals nothing more; null or left out: there is none. */
  readonly oldSecretsKey?: Secret | null;
  readonly database: DatabaseAddress;
}

/**
 * Encrypts what must be read again, so that a copy of the database alone tells nothing: AES-256-GCM, bound to a purpose that
 * has to be named again to open it.
 */
export class SecretBox {
  #key: Promise<Buffer> | null = null;

  constructor(private readonly settings: SecretBoxSettings) {}

  /** Whether there is a key, or one can be made; without it `seal` throws. */
  get canSeal(): boolean {
    return this.settings.secretsKey !== null || this.settings.database.kind === 'sqlite';
  }

  /** @throws AppError `conflict` where there is no key, and none can be made. */
  async seal(text: string, purpose: string): Promise<string> {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', await this.#findKey(), nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** @returns null when it was sealed by another key or for another purpose, or is damaged. @throws as `seal` does. */
  async open(sealed: string, purpose: string): Promise<string | null> {
    const opened = openBy(await this.#findKey(), sealed, purpose);
    const { oldSecretsKey } = this.settings;
    return opened ?? (oldSecretsKey ? openBy(deriveKey(oldSecretsKey), sealed, purpose) : null);
  }

  /**
   * The same secret, sealed by the key of now.
   * @returns it as it was, if that key has sealed it; null when no key opens it. @throws as `seal` does.
   */
  async reseal(sealed: string, purpose: string): Promise<string | null> {
    if (openBy(await this.#findKey(), sealed, purpose) !== null) return sealed;
    const opened = await this.open(sealed, purpose);
    return opened === null ? null : this.seal(opened, purpose);
  }

  #findKey(): Promise<Buffer> {
    this.#key ??= this.#loadKey();
    // What failed once may be mended.
    this.#key.catch(() => {
      this.#key = null;
    });
    return this.#key;
  }

  async #loadKey(): Promise<Buffer> {
    const { secretsKey, database } = this.settings;
    if (!this.canSeal) {
      const words =
        'This server cannot keep secrets yet, such as that of an authenticator app: its operator has to set SECRETS_KEY.';
      throw new AppError('conflict', words);
    }
    const secret = secretsKey ?? (await findKeyFile(database.kind === 'sqlite' ? database.file : ''));
    return deriveKey(secret);
  }
}

function deriveKey(secret: Secret): Buffer {
  return Buffer.from(hkdfSync('sha256', secret.reveal(), '', 'tollgate: secrets at rest', keyBytes));
}

function openBy(key: Buffer, sealed: string, purpose: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  const tag = bytes.subarray(nonceBytes, nonceBytes + tagBytes);
  if (tag.length !== tagBytes) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag);
  const opened = decipher.update(bytes.subarray(nonceBytes + tagBytes));
  try {
    return Buffer.concat([opened, decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** Where the key lies of a SQLite file, where no SECRETS_KEY is set. */
export function keyFileOf(databaseFile: string): string {
  return resolve(`${databaseFile}.secrets-key`);
}

/**
 * The key that lies beside a SQLite file; made with the first call, readable to the owner of the database alone, whoever makes it.
 * @throws PlainFailure when it is there and cannot be read, or is none; the system's error when it cannot be made.
 */
async function findKeyFile(databaseFile: string): Promise<Secret> {
  const file = keyFileOf(databaseFile);
  if (!existsSync(file)) await makeKeyFile(file, databaseFile);
  const text = (await readKeyFile(file)).trim();
  if (text.length >= keyBytes) return new Secret(text);
  const remedy = 'Restore it from a backup, or remove it if nothing was ever sealed by it.';
  throw new PlainFailure(`SECRETS_KEY is not set, and ${file} holds no whole key. ${remedy}`);
}

async function readKeyFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const remedy = 'Give it to the owner of the database (chown), or set SECRETS_KEY.';
    throw new PlainFailure(`SECRETS_KEY is not set, and ${file} cannot be read (${code}). ${remedy}`);
  }
}

// Whole from the moment that it has its name, and never in place of another one.
async function makeKeyFile(file: string, databaseFile: string): Promise<void> {
  const part = `${file}.${randomBytes(6).toString('hex')}.part`;
  try {
    const made = `${randomBytes(keyBytes).toString('base64url')}\n`;
    await writeFile(part, made, { flag: 'wx', mode: 0o600, flush: true });
    giveToOwnerOf(databaseFile, part);
    await link(part, file);
    await syncFolder(dirname(file));
  } catch (error) {
    // Another process was quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(part, { force: true });
  }
}
