import { createServer, type RequestListener, type Server } from 'node:http';

/**
 * An HTTP server that slow or hostile senders cannot wear out: headers within 10 seconds, a whole body within 60, bounded
 * headers and connections. Answers may stream for as long as the call lasts.
 */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 60_000,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      requireHostHeader: true,
    },
    listener,
  );
  server.maxHeadersCount = 100;
  server.maxConnections = 10_000;
  return server;
}

/** Stops taking calls, lets the running ones end, and cuts what is left after `patienceMs`. */
export async function closeHttpServer(server: Server, patienceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), patienceMs);
  await closed;
  clearTimeout(cut);
}
