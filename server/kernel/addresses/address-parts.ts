/*
 * What the addresses of other servers are made of, whichever server it is. Each function adds what is wrong to `faults`, as the end
 * of a sentence that begins with the name of the setting; none quotes user or password.
 */

/** A server of an address, over the network. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

const hostPattern = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/;
const hostsMax = 16;

/** Reads `one,two:3307,[fe80::1]`. */
export function readHosts(list: string, usualPort: number, faults: string[]): HostAndPort[] {
  const texts = list.split(',');
  if (texts.length > hostsMax) faults.push(`names more than ${hostsMax} hosts`);
  return texts.slice(0, hostsMax).flatMap((text) => {
    const [, host, port = String(usualPort)] = hostPattern.exec(text) ?? [];
    if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
      faults.push(`"${text}" is no host: use a name, an IPv4 address or [an IPv6 address], and a port up to 65535`);
      return [];
    }
    return [{ host: host.replace(/^\[|\]$/g, ''), port: Number(port) }];
  });
}

/** Reads `user:password`, or `user` alone; percent-encoding undone. */
export function readLogin(login: string, faults: string[]): readonly [user: string, password?: string] {
  const colon = login.indexOf(':');
  const decoded = (text: string) => decode(text, 'user or password', faults) ?? '';
  if (colon < 0) return [decoded(login)];
  return [decoded(login.slice(0, colon)), decoded(login.slice(colon + 1))];
}

/** Reads `a=1&b=2`, where only these names may stand, each once and with a value. */
export function readParameters<Name extends string>(
  query: string,
  names: readonly Name[],
  faults: string[],
): Readonly<Partial<Record<Name, string>>> {
  const parameters: Record<string, string> = {};
  for (const part of query.split('&').filter((text) => text !== '')) {
    const [name = '', ...rest] = part.split('=');
    if (!(names as readonly string[]).includes(name)) {
      faults.push(`does not know the parameter "${name}": ${names.join(', ')} are known`);
    } else if (name in parameters) {
      faults.push(`has the parameter "${name}" twice`);
    } else {
      const value = decode(rest.join('='), name, faults);
      if (value === '') faults.push(`has the parameter "${name}" without a value`);
      else if (value !== null) parameters[name] = value;
    }
  }
  return parameters as Readonly<Partial<Record<Name, string>>>;
}

/** Undoes percent-encoding; null where it is broken. */
export function decode(text: string, what: string, faults: string[]): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    faults.push(`has a % in ${what} that is not followed by two hexadecimal digits: write %25 for it`);
    return null;
  }
}
