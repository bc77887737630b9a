/**
 * The text of a file that runs a joined program. It shuts the inspector, as `keep-inspector-shut.mjs` does, before anything of the
 * program is read, which takes a part of a second.
 * @param {string} joined where the program lies, seen from that file
 */
export function programEntry(joined) {
  return `process.on('SIGUSR1', () => {});\nawait import('${joined}');\n`;
}
