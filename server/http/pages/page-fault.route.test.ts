import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { openMemoryCounter } from '../../kernel/attempt-counter.js';
import { createLogger } from '../../kernel/logger.js';
import { createPageFaultRoute } from './page-fault.route.js';

describe('POST /page-faults', () => {
  const lines: string[] = [];
  let server: Server;
  let url: string;

  beforeEach(async () => {
    lines.length = 0;
    const logger = createLogger('info', { destination: { write: (line: string) => lines.push(line) } });
    server = createServer(express().use('/page-faults', createPageFaultRoute(openMemoryCounter, logger)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/page-faults`;
  });
  afterEach(() => server.close());

  const tell = (body: unknown) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const fault = {
    name: 'TypeError',
    page: '/calls/call_01KAG?secret=sk-tg-canary',
    stack: 'TypeError: my private prompt\n at a (http://h/assets/calls-x1.js:1:2345)\n at b (http://h/other.js:1:1)',
    prompt: 'my private prompt',
  };

  it('logs the kind of error, the page and the places in our scripts, and no word of anybody', async () => {
    expect((await tell(fault)).status).toBe(204);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      event: 'page_broke',
      error: 'TypeError',
      page: '/calls/call',
      at: ['/assets/calls-x1.js:1:2345'],
    });
    expect(lines.join()).not.toMatch(/private|canary|other\.js/);
  });

  it('takes ten a minute from one network, and nothing that it cannot read', async () => {
    await tell({ name: 1 });
    expect(lines).toHaveLength(0);
    for (let n = 0; n < 20; n += 1) await tell(fault);
    expect(lines).toHaveLength(9);
    expect((await tell({ ...fault, stack: 'x'.repeat(20_000) })).status).toBe(413);
  });
});
