import 'reflect-metadata';
import { createApp } from './app.js';
import { InvalidConfigError, loadConfig } from './config.js';
import { createLogger } from './kernel/logger.js';

/** How long running calls may go on after the order to stop. */
const drainMs = 120_000;

try {
  const config = loadConfig(process.env);
  const logger = createLogger(config.logLevel);
  const app = await createApp(config, logger);
  const port = await app.listen();
  // For whoever tries it out by hand; a log collector never sees it.
  if (process.stdout.isTTY) process.stderr.write(`\n  Tollgate is ready: ${config.publicUrl}\n\n`);
  logger.info('server_listening', { port, url: config.publicUrl, database: config.database.kind });

  let isStopping = false;
  const stop = async (signal: string) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    logger.info('server_stopping', { signal });
    await app.close(drainMs);
    logger.info('server_stopped');
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
} catch (error) {
  console.error(error instanceof InvalidConfigError ? error.message : error);
  process.exit(1);
}
