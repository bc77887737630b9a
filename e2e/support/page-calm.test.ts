import { createServer, type Server, type ServerResponse } from 'node:http';
import { closeServer, listenLocally, urlOf } from '../../server/test/local-server.js';
import { describeInBrowser } from './browser.js';
import { waitForFrames, waitUntilCalm } from './page-calm.js';

/** Asks for two answers, the second once it has the first, and for a stream that never ends. */
const html = `<!doctype html><html lang="en"><head><title>Waiting</title></head><body><script>
  new EventSource('/stream');
  const ask = (path) => fetch(path).then((response) => response.text());
  ask('/first').then((words) => ask('/second')).then((words) => { document.title = words; });
</script></body></html>`;

describeInBrowser('a page is calm', (openPage) => {
  const held = new Map<string, ServerResponse>();
  let server: Server;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/') response.setHeader('content-type', 'text/html').end(html);
      else if (request.url === '/stream')
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      else held.set(String(request.url), response);
    });
    await listenLocally(server);
  });
  afterAll(async () => {
    await closeServer(server);
  });

  it('once each of its requests is answered, also one that followed from another, and whatever streams to it', async () => {
    const { page } = await openPage({ baseUrl: urlOf(server) });
    await page.goto('/');
    let isCalm = false;
    const calm = waitUntilCalm(page).then(() => {
      isCalm = true;
    });
    for (const path of ['/first', '/second']) {
      while (!held.has(path)) await waitForFrames(page, 1);
      await waitForFrames(page, 20);
      expect(isCalm).toBe(false);
      held.get(path)?.end(`the answer of ${path}`);
    }
    await calm;
    expect(await page.title()).toBe('the answer of /second');
  });
});
