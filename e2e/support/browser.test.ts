import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeInBrowser } from './browser.js';
import { forEachLook } from './looks.js';
import { listAccessibilityFaults, measureOverflowPx } from './page-faults.js';

const html = `<!doctype html><html lang="en"><head><title>Test page</title></head>
<body><main><h1>Test page</h1><img src="data:," style="width: 600px; height: 1px"></main></body></html>`;

describeInBrowser('the browser of the journeys', (openPage) => {
  let server: Server;
  let baseUrl: string;

  beforeAll(async () => {
    // As strict a policy as our own pages have.
    server = createServer((_, response) => {
      response.setHeader('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'");
      response.setHeader('content-type', 'text/html').end(html);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    server.close();
  });

  it('finds accessibility faults in spite of a strict policy', async () => {
    const { page } = await openPage({ baseUrl });
    await page.goto('/');
    expect(await listAccessibilityFaults(page)).toEqual([expect.stringContaining('critical: image-alt')]);
  });

  it('keeps what a page complains about', async () => {
    const { page, faults } = await openPage({ baseUrl });
    await page.goto('/');
    expect(faults).toEqual([expect.stringContaining('Content Security Policy')]);
  });

  it('shows the page at three widths and in two colour schemes, and tells when it is too wide', async () => {
    const { page } = await openPage({ baseUrl });
    await page.goto('/');
    const looks: Record<string, boolean> = {};
    await forEachLook(page, async (name) => {
      expect(await page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")).toBe(name.endsWith('dark'));
      looks[name] = (await measureOverflowPx(page)) > 0;
    });
    expect(looks).toEqual({
      '1280-light': false,
      '1280-dark': false,
      '768-light': false,
      '768-dark': false,
      '390-light': true,
      '390-dark': true,
    });
  });
});
