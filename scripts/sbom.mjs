import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './run-step.mjs';

/*
 * `npm run --silent sbom > sbom.json`: every package that a production installation has, in CycloneDX 1.5, from the lockfile and without
 * asking anybody. npm's own command refuses a project with workspaces.
 */

/** @typedef {{ name?: string, version?: string, license?: string, integrity?: string, dev?: boolean, devOptional?: boolean, link?: boolean }} LockedPackage */

/** @type {{ name: string, version: string, license: string }} */
const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
/** @type {{ packages: Record<string, LockedPackage> }} */
const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));

const components = Object.entries(packages)
  .filter(([path, { dev, devOptional, link }]) => path.startsWith('node_modules/') && !dev && !devOptional && !link)
  .map(([path, locked]) =>
    describe(locked.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), locked),
  );
const known = new Map(components.map((component) => [component['bom-ref'], component]));
const { name, version, license } = manifest;
const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: { type: 'application', name, version, licenses: [{ expression: license }] } },
  components: [...known.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1)),
};
console.log(JSON.stringify(bom, null, 2));

/** @param {string} fullName @param {LockedPackage} locked */
function describe(fullName, { version: ofPackage = '', license: ofLicense, integrity }) {
  const [scope, bare] = fullName.startsWith('@') ? fullName.split('/') : [null, fullName];
  const purl = `pkg:npm/${scope === null ? '' : `${encodeURIComponent(scope ?? '')}/`}${bare}@${ofPackage}`;
  return {
    type: 'library',
    'bom-ref': purl,
    ...(scope === null ? {} : { group: scope }),
    name: bare,
    version: ofPackage,
    purl,
    ...(ofLicense ? { licenses: [{ expression: ofLicense }] } : {}),
    hashes: (integrity ?? '')
      .split(' ')
      .filter((hash) => hash.startsWith('sha512-'))
      .map((hash) => ({ alg: 'SHA-512', content: Buffer.from(hash.slice(7), 'base64').toString('hex') })),
  };
}
