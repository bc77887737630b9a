/*
 * Imported first by the server's program: packages ask for the working folder as they are loaded, and where it is gone, they end the
 * process with a stack that names none of it.
 */
try {
  process.cwd();
} catch {
  console.error('The working folder is gone. Start the server in a folder that is there.');
  process.exit(1);
}

export {};
