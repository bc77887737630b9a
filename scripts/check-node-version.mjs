import './keep-inspector-shut.mjs';

/*
 * Imported first, for its effect: says in one sentence what to do when this Node.js is too old, instead of the stack
 * trace that the code would die with. Written so that old versions can read it.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Tollgate needs Node.js 20.19 or newer, and this is ${process.version}. Install a newer one, then try again.`,
  );
  process.exit(1);
}
