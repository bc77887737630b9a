import './need-working-folder.js';
import 'reflect-metadata';
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from './app.js';
import { describeStart } from './composition/describe-start.js';
import { explainStartFailure } from './composition/explain-start-failure.js';
import { InvalidConfigError } from './config/config.js';
import { loadServerConfig } from './config/load-server-config.js';
import { tellOperatorAtStart } from './config/unsafe-for-strangers.js';
import { claimSqliteFile } from './database/claim-sqlite-file.js';
import { replaceNameLookup } from './kernel/addresses/replace-name-lookup.js';
import { createLogger } from './kernel/logger.js';
import { PlainFailure } from './kernel/settings/plain-failure.js';
import { tuneGarbageCollector } from './kernel/tune-garbage-collector.js';
import { outliveRejections } from './outlive-rejections.js';
import { WorkerNotStartedError, WorkerPool } from './run-workers.js';
import { outliveTerminal, StopOrders } from './stop-orders.js';
import { FellowWorkers, type PrimaryChannel } from './workers/fellow-workers.js';
import { watchLoop } from './workers/loop-watch.js';

/** How long running calls may go on after the order to stop. */
const drainMs = 120_000;

/** Whoever watches a start that takes longer is told so often that it goes on; what it waits for at the database is told from there. */
const startTellMs = 30_000;

/** A worker whose primary process has gone ends by itself; until then what it says is lost. */
const primaryChannel: PrimaryChannel = {
  send: (message) => void process.send?.(message, undefined, undefined, () => {}),
  onMessage: (listener) => void process.on('message', listener),
};

const orders = new StopOrders();
outliveTerminal();
tuneGarbageCollector();
try {
  refuseWords(process.argv.slice(2));
  const config = loadServerConfig(process.env);
  const { isWorker } = cluster;
  const format = config.logFormat ?? (process.stdout.isTTY ? 'text' : 'json');
  const logger = createLogger(config.logLevel, { format, everyLine: isWorker ? { pid: process.pid } : null });
  orders.tellIgnoredBy((signal) => logger.warn('signal_ignored', { signal }));
  const { connectMs } = config.upstreamTimeouts;
  // Before anything is connected to by its name.
  replaceNameLookup({ logger, connectMs, threadPoolSize: process.env.UV_THREADPOOL_SIZE });
  if (!isWorker) tellOperatorAtStart(config, logger);
  if (config.database.kind === 'sqlite') claimSqliteFile(config.database.file, logger);
  const starting = setInterval(() => {
    logger.warn('start_takes_long', { forMs: Math.round(performance.now()) });
  }, startTellMs);
  const watch = () => watchLoop({ level: config.logLevel, format }, logger);
  // A worker is watched by the process above it. A migration of SQLite is one long step, however long it takes.
  const noteStarted = isWorker || config.database.kind === 'sqlite' ? null : watch();
  const hasWorkers = config.workers > 1 && !isWorker;
  const fellows = isWorker ? new FellowWorkers(primaryChannel, process.pid) : null;
  const server = hasWorkers ? new WorkerPool(config.workers, logger) : await createApp(config, logger, { fellows });
  const what = isWorker ? 'worker' : 'server';
  const cut = async (signal: string) => {
    const running = server instanceof WorkerPool ? { workers: await server.cut() } : server.listRunning();
    logger.warn(`${what}_cut_short`, { signal, ...running });
    orders.end(1);
  };
  let isStopping = false;
  let askedCount = 0;
  const stop = async (signal: string) => {
    // Whoever closes the terminal asks for no haste; npm then ends, too, and whoever watches over us says so by SIGTERM.
    if (signal !== 'SIGHUP') askedCount += 1;
    if (isStopping) {
      // A terminal or a supervisor signals every process, so a worker gets the signal twice. Only its parent cuts it short.
      if (!isWorker && askedCount > 1) await cut(signal);
      return;
    }
    isStopping = true;
    logger.info(`${what}_stopping`, { signal });
    if (server instanceof WorkerPool) {
      await server.close(config.drainDelayMs + drainMs);
    } else {
      // What is just being opened could not be closed.
      await listening;
      server.announceStop();
      // Load balancers ask every few seconds, and send calls until they have heard.
      await sleep(config.drainDelayMs);
      await server.close(drainMs);
    }
    logger.info(`${what}_stopped`);
    orders.end(0);
  };
  // Before it listens: the first worker answers calls while the primary process still waits for the others.
  orders.obeyBy((signal) =>
    stop(signal).catch((error: unknown) => {
      logger.error(`${what}_not_stopped_well`, { error });
      orders.end(1);
    }),
  );
  fellows?.onCut(() => void cut('of the process above'));
  const listening = server.listen();
  const port = await listening;
  clearInterval(starting);
  outliveRejections(logger);
  if (!isWorker) (noteStarted ?? watch())();

  // Last, since whoever reads it may tell us to stop at once. This one is for whoever tries it out by hand; a log collector never sees it.
  if (process.stdout.isTTY && !isWorker) {
    const link = server instanceof WorkerPool ? null : await server.inviteFirstOperator();
    process.stderr.write(describeStart(config, link));
  }
  const { database, host, publicUrl: url, workers } = config;
  if (isWorker) logger.info('worker_listening', { port });
  else logger.info('server_listening', { host, port, url, database: database.kind, workers });
} catch (error) {
  const isToldPlainly = error instanceof InvalidConfigError || error instanceof WorkerNotStartedError;
  console.error(isToldPlainly ? error.message : (explainStartFailure(error) ?? error));
  process.exit(1);
}

// A server takes no words: whoever types one means a setting, which would be passed over.
function refuseWords([word]: readonly string[]): void {
  if (word === undefined) return;
  throw new PlainFailure(
    `Nothing is known about ${JSON.stringify(word)}. Settings come from the environment and .env: PORT=8081 for another port, and so on; .env.example lists them.`,
  );
}
