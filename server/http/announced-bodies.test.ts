import { connect, type Socket } from 'node:net';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

const stranger = '203.0.113.9';
const other = '198.51.100.7';
/** More than all that the addresses where anybody may post hold together, in the end to the last bytes. */
const announcedBytes = [
  ...Array(90).fill(100_000),
  ...Array(40).fill(9_000),
  ...Array(60).fill(500),
  ...Array(60).fill(20),
];

describeOnEachDatabase('Bodies that a stranger announces and never sends', (openTestDatabase) => {
  const stripe = { STRIPE_SECRET_KEY: `sk_test_${'a'.repeat(24)}`, STRIPE_WEBHOOK_SECRET: `whsec_${'a'.repeat(32)}` };
  const app = TestApp.forAll(openTestDatabase, { TRUST_PROXY: '1', BODY_MEMORY_MB: '8', ...stripe });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  const announce = (path: string, bytes: number) => {
    const { hostname, port } = new URL(app.baseUrl);
    const socket = connect(Number(port), hostname);
    sockets.push(socket.on('error', () => {}));
    const headers = `host: ${hostname}\r\ncontent-type: application/json\r\nx-forwarded-for: ${stranger}`;
    socket.write(`POST ${path} HTTP/1.1\r\n${headers}\r\ncontent-length: ${bytes}\r\n\r\n`);
  };
  const post = (path: string, from: string) =>
    fetch(`${app.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify({ query: '{ __typename }' }),
    });
  const isRefusedTo = async (path: string, from: string) => [429, 503].includes((await post(path, from)).status);

  it.each(['/graphql', '/webhooks/stripe'])('close %s to their own network alone', async (path) => {
    for (const bytes of announcedBytes) announce(path, bytes);
    while (!(await isRefusedTo(path, stranger)));
    expect(await isRefusedTo(path, other)).toBe(false);
    for (const socket of sockets.splice(0)) socket.destroy();
    while (await isRefusedTo(path, stranger));
  });
});
