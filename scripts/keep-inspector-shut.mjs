/*
 * Imported before all else, for its effect: at SIGUSR1 Node.js opens its inspector to every user of the machine, who then reads all that
 * the process knows. From here on it does nothing at that signal, also while the rest of a program is still being read. What a
 * server says of it: `server/stop-orders.ts`. Written so that old versions can read it.
 */
process.on('SIGUSR1', () => {});
