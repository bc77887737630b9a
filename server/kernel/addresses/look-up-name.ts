import { Resolver } from 'node:dns/promises';

/** Finds every address, IPv4 and IPv6, that a name has; none where there is no such name. Rejects where that cannot be known in time. */
export type LookUpName = (name: string) => Promise<readonly string[]>;

type Asked = Pick<Resolver, 'resolve4' | 'resolve6' | 'cancel'>;

const timeoutMs = 3_000;
const noAddress: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND']);

/**
 * Asks the machine's name servers, for three seconds at most. `dns.lookup` would occupy a thread for as long as a slow name server
 * likes, and there are two for all names, those of providers too.
 */
export const lookUpName: LookUpName = (name) => ask(new Resolver({ timeout: 1_000, tries: 2 }), name);

/** As `lookUpName`, by this resolver, which asks for nothing else. */
export async function ask(resolver: Asked, name: string, waitMs = timeoutMs): Promise<readonly string[]> {
  const end = setTimeout(() => resolver.cancel(), waitMs);
  try {
    const answers = await Promise.all([resolver.resolve4(name).catch(toNone), resolver.resolve6(name).catch(toNone)]);
    return answers.flat();
  } finally {
    clearTimeout(end);
  }
}

// What is not an answer proves nothing: the name may have addresses that we were not told.
function toNone(error: unknown): readonly string[] {
  if (noAddress.has((error as { code?: unknown }).code)) return [];
  throw error;
}
