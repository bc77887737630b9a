import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { AppError } from '../kernel/app-error.js';
import type { Stopwatch } from '../kernel/clock.js';
import type { Logger } from '../kernel/logger.js';

const answerTimeoutMs = 5_000;
const answerBytesMax = 64 * 1_024;
const keysMax = 100;
const freshMs = 3_600_000;
/** However many reports come with keys that nobody knows, the list is not asked for more often. */
const pauseMs = 60_000;

/** The list of keys as GitHub publishes it, as far as it is read. */
interface PublishedKeys {
  readonly public_keys?: readonly { readonly key_identifier?: unknown; readonly key?: unknown }[];
}

/** The public keys of those who report leaked keys, fetched from one address when they are needed and kept for an hour. */
export class ScannerKeys {
  #keys: ReadonlyMap<string, KeyObject> = new Map();
  #freshUntilMs = Number.NEGATIVE_INFINITY;
  #askAgainAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;

  constructor(
    private readonly url: string,
    private readonly clock: Stopwatch,
    private readonly logger: Logger,
  ) {}

  /**
   * Whether bytes are signed, by ECDSA on P-256 over their SHA-256, with the key of this name.
   * @param signature In base64.
   * @throws AppError `service_unavailable` while the keys cannot be had: the report had better come again.
   */
  async isSigned(bytes: Buffer, { keyName, signature }: { keyName: string; signature: string }): Promise<boolean> {
    if (keyName === '' || signature === '' || signature.length > 200) return false;
    const key = await this.#find(keyName);
    return key !== null && verify('sha256', bytes, { key, dsaEncoding: 'der' }, Buffer.from(signature, 'base64'));
  }

  async #find(keyName: string): Promise<KeyObject | null> {
    const nowMs = this.clock.elapsedMs();
    const known = nowMs < this.#freshUntilMs ? this.#keys.get(keyName) : undefined;
    if (known) return known;
    if (this.#asking === null && nowMs >= this.#askAgainAtMs) {
      this.#askAgainAtMs = nowMs + pauseMs;
      this.#asking = this.#ask(nowMs).finally(() => {
        this.#asking = null;
      });
    }
    await this.#asking;
    if (nowMs >= this.#freshUntilMs) {
      throw new AppError('service_unavailable', 'The keys of the scanner cannot be had now. Send the report again.', {
        retryAfterMs: pauseMs,
      });
    }
    return this.#keys.get(keyName) ?? null;
  }

  async #ask(nowMs: number): Promise<void> {
    try {
      const signal = AbortSignal.timeout(answerTimeoutMs);
      const response = await fetch(this.url, { redirect: 'error', signal, headers: { accept: 'application/json' } });
      if (!response.ok || response.body === null) throw new Error(`It answered with status ${response.status}.`);
      this.#keys = readKeys(await readBounded(response.body));
      this.#freshUntilMs = nowMs + freshMs;
    } catch (error) {
      this.logger.warn('scanner_keys_not_fetched', { error });
    }
  }
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > answerBytesMax) throw new Error(`Its list has more than ${answerBytesMax} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function readKeys(text: string): ReadonlyMap<string, KeyObject> {
  const { public_keys: listed } = JSON.parse(text) as PublishedKeys;
  if (!Array.isArray(listed)) throw new Error('Its answer is no list of keys.');
  const keys = (listed as NonNullable<PublishedKeys['public_keys']>)
    .slice(0, keysMax)
    .flatMap(({ key_identifier: name, key: pem }) => {
      const key = typeof name === 'string' && typeof pem === 'string' ? createPublicKey(pem) : null;
      const isOfThatKind = key?.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
      return key !== null && isOfThatKind ? [[String(name), key] as const] : [];
    });
  if (keys.length === 0) throw new Error('Its list has no key of that kind.');
  return new Map(keys);
}
