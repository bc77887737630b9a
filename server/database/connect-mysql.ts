import mysql2, { type ConnectionOptions } from 'mysql2';
import type { Connection } from 'mysql2/promise';
import { withinMs } from '../kernel/jobs/within-ms.js';
import { plainOf, socketOf, takeCrossedAnswers } from './pool/driver-inside.js';

const closeMsMax = 1_000;

/**
 * Opens a connection of its own, outside of any pool. Its errors are heard from its first moment on: mysql2 tells of a second one as well, such
 * as that of the socket of a login that was refused, and what nobody hears ends the process. Whoever asks it the next question is told.
 * @throws the driver's error.
 */
export async function connectMysql(options: ConnectionOptions): Promise<Connection> {
  const connection = mysql2.createConnection(options);
  connection.on('error', () => {});
  takeCrossedAnswers(connection);
  await new Promise<void>((resolve, reject) => {
    connection.connect((error) => (error ? reject(error) : resolve()));
  });
  return connection.promise();
}

/**
 * Takes leave of the server. One that still owes an answer, and says nothing, is waited for a second, and then no more: the connection is
 * cut, and who asked is told. mysql2's own `destroy` would leave them waiting.
 */
export async function closeMysql(connection: Connection): Promise<void> {
  await withinMs(closeMsMax, connection.end(), 'The server takes no leave.').catch(() =>
    socketOf(plainOf(connection)).destroy(),
  );
}
