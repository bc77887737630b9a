import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

interface Flags {
  /** Whether the authenticator has asked for a PIN, a finger or a face. */
  readonly isUserVerified?: boolean;
  /** Where the page says that it comes from. */
  readonly origin?: string;
  readonly rpId?: string;
}

/** An authenticator with one passkey, in software: what it answers is what a browser sends. */
export class SoftwarePasskey {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly credentialId = randomBytes(32);
  #userHandle = '';
  counter = 0;

  constructor(
    private readonly origin = 'http://tollgate.test',
    private readonly rpId = 'tollgate.test',
  ) {}

  /** The answer to options of `navigator.credentials.create`, as JSON. */
  create(options: string, flags: Flags = {}): string {
    const { challenge, user } = JSON.parse(options) as { challenge: string; user: { id: string } };
    this.#userHandle = user.id;
    const authData = Buffer.concat([this.#head(flags, 0x40), Buffer.alloc(16), this.#idWithLength(), this.#coseKey()]);
    const attestation = Buffer.concat([
      // A map of fmt: none, attStmt: {} and authData.
      Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
      Buffer.from([0x58, authData.length]),
      authData,
    ]);
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', challenge, flags).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** The answer to options of `navigator.credentials.get`, as JSON. @param userHandle Instead of the right one. */
  get(options: string, flags: Flags = {}, userHandle = this.#userHandle): string {
    const { challenge } = JSON.parse(options) as { challenge: string };
    this.counter += 1;
    const authData = this.#head(flags, 0);
    const clientData = this.#clientData('webauthn.get', challenge, flags);
    const signed = Buffer.concat([authData, createHash('sha256').update(clientData).digest()]);
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle,
    });
  }

  #answer(response: object): string {
    const id = this.credentialId.toString('base64url');
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }

  #head({ isUserVerified = true, rpId = this.rpId }: Flags, moreFlags: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.counter);
    const flags = Buffer.from([0x01 | (isUserVerified ? 0x04 : 0) | moreFlags]);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), flags, count]);
  }

  #idWithLength(): Buffer {
    return Buffer.concat([Buffer.from([0, this.credentialId.length]), this.credentialId]);
  }

  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const [left, right] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
    return Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), left, Buffer.from('225820', 'hex'), right]);
  }

  #clientData(type: string, challenge: string, { origin = this.origin }: Flags): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
}
