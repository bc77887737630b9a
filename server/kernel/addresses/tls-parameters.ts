import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { readSmallFile } from '../settings/read-small-file.js';

/** How a connection is encrypted. */
export interface TlsSettings {
  /** The server's certificate must come from the authority that was named, or from one that Node knows. */
  readonly rejectUnauthorized: boolean;
  /** And it must be made out to the host of the address. */
  readonly verifyIdentity: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Certificates of a whole authority, with room to spare. */
const bytesMax = 1024 * 1024;

/** The parameters of an address that are about encryption, in MySQL's words. */
export const tlsParameterNames = ['ssl-mode', 'ssl-ca', 'ssl-cert', 'ssl-key'] as const;
export type TlsParameters = Readonly<Partial<Record<(typeof tlsParameterNames)[number], string>>>;

const fileNames = ['ssl-ca', 'ssl-cert', 'ssl-key'] as const;

const modes: Readonly<Record<string, Pick<TlsSettings, 'rejectUnauthorized' | 'verifyIdentity'> | null>> = {
  DISABLED: null,
  REQUIRED: { rejectUnauthorized: false, verifyIdentity: false },
  VERIFY_CA: { rejectUnauthorized: true, verifyIdentity: false },
  VERIFY_IDENTITY: { rejectUnauthorized: true, verifyIdentity: true },
};

export function listTlsFiles(parameters: TlsParameters): (typeof fileNames)[number][] {
  return fileNames.filter((name) => parameters[name] !== undefined);
}

/**
 * Reads them, and the files that they name. Adds what is wrong to `faults`, each as the end of a sentence that begins with the
 * setting's name.
 * @param usualMode where none is given
 * @returns null: not encrypted.
 */
export function readTlsParameters(
  parameters: TlsParameters,
  { usualMode, readFile = readTlsFile }: { usualMode: string; readFile?: ((path: string) => string) | undefined },
  faults: string[],
): TlsSettings | null {
  const files = listTlsFiles(parameters);
  const modeName = parameters['ssl-mode'] ?? usualMode;
  const mode = Object.hasOwn(modes, modeName.toUpperCase()) ? modes[modeName.toUpperCase()] : undefined;
  if (mode === undefined) {
    faults.push(`has the ssl-mode "${modeName}": ${Object.keys(modes).join(', ')} are known`);
    return null;
  }
  if (mode === null) {
    if (files.length > 0) faults.push(`has ${files.join(', ')}, which ssl-mode=DISABLED would leave unused`);
    return null;
  }
  if ((parameters['ssl-cert'] === undefined) !== (parameters['ssl-key'] === undefined)) {
    faults.push('needs both ssl-cert and ssl-key, or neither');
  }
  const tls: Record<string, string> = {};
  for (const name of files) {
    try {
      tls[name.slice('ssl-'.length)] = readFile(String(parameters[name]));
    } catch (error) {
      faults.push(`cannot read ${name}: ${String((error as Partial<Error>).message ?? error)}`);
    }
  }
  return { ...mode, ...tls };
}

/** What is wrong with the files' contents, in the same words as above. */
export function findCertificateFaults({ ca, cert, key }: TlsSettings): string[] {
  const faults = [
    ...(ca === undefined || isCertificate(ca) ? [] : ['names in ssl-ca a file without a certificate (PEM)']),
    ...(cert === undefined || isCertificate(cert) ? [] : ['names in ssl-cert a file without a certificate (PEM)']),
  ];
  if (faults.length > 0 || cert === undefined || key === undefined) return faults;
  try {
    createSecureContext({ cert, key });
    return [];
  } catch (error) {
    const words = String((error as Partial<Error>).message ?? error);
    return [`names in ssl-key a file that is not the private key of ssl-cert, unencrypted and in PEM (${words})`];
  }
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== null;
  } catch {
    return false;
  }
}

function readTlsFile(path: string): string {
  try {
    return readSmallFile(path, bytesMax);
  } catch (error) {
    const words = String((error as Partial<Error>).message ?? error);
    throw new Error(words.includes(path) ? words : `${path}: ${words}`);
  }
}
