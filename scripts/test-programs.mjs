import { spawnSync } from 'node:child_process';
import { findChromium, headlessShell } from './find-chromium.mjs';
import { findBothDatabaseServers } from './find-database-server.mjs';
import { findProgram } from './find-program.mjs';
import { runStep, secondsSince } from './run-step.mjs';

/**
 * What the suites need besides Node.js: the program, Debian's package of it, and what is left out without it.
 * @typedef {object} Need
 * @property {readonly string[]} programs
 * @property {string} debianPackage
 * @property {string} [elsePackage] of a system that has no such package
 * @property {string} suites
 */

/** @type {readonly Need[]} */
const needs = [
  {
    programs: ['mariadbd', 'mysqld'],
    debianPackage: 'mariadb-server',
    suites: 'the MariaDB half of every database suite',
  },
  { programs: ['openssl'], debianPackage: 'openssl', suites: 'the suites on TLS' },
  { programs: ['redis-server'], debianPackage: 'redis-server', suites: 'the suites on Redis' },
  { programs: ['prometheus'], debianPackage: 'prometheus', suites: 'the alerts and panels on a Prometheus' },
  { programs: ['python3'], debianPackage: 'python3', suites: 'the examples in Python' },
  { programs: ['curl'], debianPackage: 'curl', suites: 'the examples for a shell' },
  {
    programs: [headlessShell, 'chromium', 'chromium-browser'],
    debianPackage: headlessShell,
    elsePackage: 'chromium',
    suites: 'the browser journeys',
  },
];

/**
 * Looks for the programs that the suites need. With `isCi` the missing ones are installed from Debian; else what will be
 * left out is printed, with the one command that mends it.
 * @param {{ isCi: boolean }} options
 * @returns {Promise<string[]>} what will be left out, each as one line
 * @throws when `isCi` is set and a program cannot be had
 */
export async function addTestPrograms({ isCi }) {
  const missing = findMissing({ isCi });
  if (missing.length === 0) return [];
  if (!isCi) {
    const lacking = missing.map((need) => ({ ...need, offered: findOffered(need) }));
    const names = lacking.map(({ offered }) => offered).join(' ');
    console.log('Left out, since this machine lacks a program:');
    for (const { suites, offered } of lacking) console.log(`  - ${suites} (${offered})`);
    console.log(`On Debian or Ubuntu, this installs what they need: sudo apt-get install -y ${names}\n`);
    return lacking.map(
      ({ suites, programs, offered }) => `${suites}; needs ${programs[0]}: sudo apt-get install ${offered}`,
    );
  }
  const startedMs = performance.now();
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const aptGet = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get'];
  await runStep({ title: 'apt-get update', command: [...aptGet, 'update'], isQuiet: true });
  const offered = missing.map(findOffered);
  console.log(`Installing ${offered.join(', ')} …`);
  const install = [...aptGet, 'install', '-y', '--no-install-recommends', ...offered];
  await runStep({ title: 'apt-get install', command: install, isQuiet: true });
  console.log(`Installed in ${secondsSince(startedMs)}.`);
  const stillMissing = findMissing({ isCi }).map((need) => need.debianPackage);
  if (stillMissing.length > 0) throw new Error(`Installed, but not found afterwards: ${stillMissing.join(', ')}.`);
  return [];
}

/** The package that this system offers; Ubuntu has no shell of Chromium by itself. @param {Need} need */
function findOffered({ debianPackage, elsePackage }) {
  if (elsePackage === undefined) return debianPackage;
  const { status } = spawnSync('apt-cache', ['show', debianPackage], { stdio: 'ignore' });
  return status === 0 ? debianPackage : elsePackage;
}

/** @param {{ isCi: boolean }} options */
function findMissing({ isCi }) {
  return needs.filter((need) => !isThere(need, isCi));
}

/** @param {Need} need @param {boolean} isCi */
function isThere({ programs, debianPackage }, isCi) {
  if (debianPackage === headlessShell) return findChromium() !== null;
  if (debianPackage === 'mariadb-server') {
    // A server may be named, too; in CI a MySQL comes beside MariaDB, and not in its place.
    if (process.env.TEST_MYSQL_URL || (process.env.MYSQLD && !isCi)) return true;
    if (isCi) return findBothDatabaseServers().mariadb !== null;
  }
  return findProgram(...programs) !== null;
}
