import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const keyOptions = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** The files of a certificate and of its private key, in PEM. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of one test, made by `openssl`; nobody else knows it. */
export class TestAuthority {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tollgate-authority-'));

  constructor() {
    const files = ['-keyout', this.#fileOf('ca.key'), '-out', this.ca];
    run(['req', '-x509', ...keyOptions, ...files, '-subj', '/CN=Authority of a test', '-days', '2']);
  }

  /** The file of its own certificate. */
  get ca(): string {
    return this.#fileOf('ca.pem');
  }

  /** @param names what the certificate is made out to, such as `IP:127.0.0.1,DNS:localhost` */
  issue(name: string, names: string): IssuedCertificate {
    const [cert, key, request] = [`${name}.pem`, `${name}.key`, `${name}.csr`].map((file) => this.#fileOf(file));
    const wanted = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`];
    run(['req', ...keyOptions, '-keyout', String(key), '-out', String(request), ...wanted]);
    const authority = ['-CA', this.ca, '-CAkey', this.#fileOf('ca.key'), '-CAcreateserial', '-copy_extensions', 'copy'];
    run(['x509', '-req', '-in', String(request), ...authority, '-days', '2', '-out', String(cert)]);
    return { cert: String(cert), key: String(key) };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #fileOf(name: string): string {
    return join(this.#folder, name);
  }
}

function run(words: readonly string[]): void {
  const { status, stderr } = spawnSync('openssl', words, { encoding: 'utf8', timeout: 60_000 });
  if (status !== 0) throw new Error(`openssl ${words[0]} failed: ${stderr}`);
}
