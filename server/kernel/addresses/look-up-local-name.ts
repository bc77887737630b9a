import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { type LookUpName, lookUpName } from './look-up-name.js';
import { isLoopbackHost } from './loopback.js';

const hostsFile = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/** As `lookUpName`, but names of this machine and of its hosts file, such as that of a container's host, are answered from there. */
export const lookUpLocalName: LookUpName = (name) => lookUpBeside(hostsFile, name, lookUpName);

/** As `lookUpLocalName`, by this hosts file and this way to find the addresses of other names. */
export async function lookUpBeside(file: string, name: string, find: LookUpName): Promise<readonly string[]> {
  const local = findLocal(await readFile(file, 'utf8').catch(() => ''), name.toLowerCase());
  if (local.length > 0) return local;
  return isLoopbackHost(name) ? ['127.0.0.1', '::1'] : find(name);
}

function findLocal(hosts: string, name: string): string[] {
  return hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(name) ? [address] : [];
  });
}
