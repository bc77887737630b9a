import { once } from 'node:events';
import { connect } from 'node:net';
import { TestApp } from '../../test/create-test-app.js';
import { openSqliteDatabase } from '../../test/each-database.js';
import { eventually } from '../../test/eventually.js';

describe('A large plain answer that its caller does not read', () => {
  const app = TestApp.forAll(openSqliteDatabase, { CONCURRENT_CALLS: '1' });
  const account = app.accountForAll(5);

  const bodyOf = (content: string) => ({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }] });
  const askOther = async () => (await app.call(account.secret, bodyOf('Hello'))).status;

  it.each(['read', 'left'])('is one of its calls at once until it is %s', async (how) => {
    const body = JSON.stringify(bodyOf('@@big=12000000 @@ignore-cap'));
    const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1').on('error', () => {});
    const head = `authorization: Bearer ${account.secret}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n${body}`);
    // It is written, and nobody takes more than its beginning.
    await once(socket, 'readable');
    for (let count = 0; count < 20; count += 1) expect(await askOther()).toBe(429);
    if (how === 'left') socket.resetAndDestroy();
    else socket.resume();
    await eventually(async () => (await askOther()) === 200);
    socket.destroy();
  });
});
