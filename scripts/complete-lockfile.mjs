import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './run-step.mjs';

/*
 * Run it after `npm install` changed the lockfile. npm leaves builds for other operating systems out when the registry
 * at hand lacks them, and then refuses its own lockfile: "Missing: … from lock file". This writes them in, at the exact
 * version that their parent asks for, so that `npm ci` works here and installs the right one elsewhere.
 */
const file = join(projectRoot, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];

const added = [];
for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    if (Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`))) continue;
    const words = name.split('/').pop()?.split('-') ?? [];
    const os = systems.filter((system) => words.includes(system));
    const cpu = processors.filter((processor) => words.includes(processor));
    if (os.length !== 1 || cpu.length !== 1 || !/^\d+\.\d+\.\d+$/.test(String(version))) {
      throw new Error(`${name}@${version} is missing, and its name does not tell for which system it is.`);
    }
    const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc';
    lock.packages[`node_modules/${name}`] = {
      version,
      cpu,
      ...(parent.dev ? { dev: true } : {}),
      ...(os.includes('linux') ? { libc: [libc] } : {}),
      optional: true,
      os,
    };
    added.push(name);
  }
}
// npm's own order.
const paths = Object.keys(lock.packages).sort((a, b) => a.localeCompare(b, 'en'));
lock.packages = Object.fromEntries(paths.map((path) => [path, lock.packages[path]]));
if (added.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length > 0 ? `Added ${added.join(', ')}.` : 'Nothing was missing.');
