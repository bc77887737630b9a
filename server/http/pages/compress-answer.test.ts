import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { compressAnswer } from './compress-answer.js';

describe('compressAnswer', () => {
  const calls = Array.from({ length: 200 }, (_, index) => ({
    id: `call_${index}`,
    model: 'demo-small',
    charged: 0.001,
  }));
  let server: Server;
  let baseUrl: string;

  beforeAll(async () => {
    const app = express().disable('etag').use(compressAnswer);
    app.get('/calls', (_request, response) => void response.json({ calls }));
    app.get('/small', (_request, response) => void response.json({ calls: [] }));
    app.get('/huge', (_request, response) => void response.json({ text: 'x'.repeat(4 * 1024 * 1024) }));
    app.get('/stream', (_request, response) => {
      response.type('text/event-stream');
      response.write('data: one\n\n');
      response.end('data: two\n\n');
    });
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
  ])('sends JSON compressed to whoever accepts %j, whole and in a quarter of its bytes', async (accepted, encoding) => {
    const response = await fetch(`${baseUrl}/calls`, { headers: { 'accept-encoding': accepted } });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('vary')).toContain('accept-encoding');
    expect(Number(response.headers.get('content-length'))).toBeLessThan(JSON.stringify({ calls }).length / 4);
    expect(await response.json()).toEqual({ calls });
  });

  it.each(['/calls', '/small', '/huge', '/stream'])('leaves %s as it is where it must', async (path) => {
    const accepted = path === '/calls' ? 'identity' : 'br, gzip';
    const response = await fetch(`${baseUrl}${path}`, { headers: { 'accept-encoding': accepted } });
    expect(response.headers.get('content-encoding')).toBeNull();
    expect((await response.text()).length).toBeGreaterThan(10);
  });

  it('answers a crowd that it does not compress for all of', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => fetch(`${baseUrl}/calls`).then((response) => response.json())),
    );
    for (const answer of answers) expect(answer).toEqual({ calls });
  });
});
