import { buildConnector } from 'undici';

/**
 * Opens connections to providers, each within so many milliseconds. The first error of a connection ends it, and is the one that is told: TLS has the
 * other side's reason before the end of the connection, which would be told in its place.
 */
export function connectWithin(connectMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: connectMs });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      socket.on('error', () => socket.destroy());
      callback(null, socket);
    });
}
