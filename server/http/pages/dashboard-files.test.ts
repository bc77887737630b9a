import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import express from 'express';
import { buildCatalogue } from '../../providers/model-catalogue.js';
import { makeTestFolder } from '../../test/test-folder.js';
import { createDashboardFiles } from './dashboard-files.js';

const script = 'console.log("a script");'.repeat(50);
const head = '<head><title>Tollgate</title><meta content="/share.png"><script nonce="__CSP_NONCE__"></script></head>';
const place = '<div class="first-frame-heading"></div>';
const pageList = [
  { pattern: '/', files: ['assets/overview-1.js'], heading: { title: 'Overview', description: 'Loading …' } },
  {
    pattern: '/usage',
    files: ['assets/usage-1.js', 'assets/chart-1.js'],
    heading: { title: 'Usage', description: 'In & out' },
  },
  { pattern: '/checkout/simulated/:purchaseId', files: [], heading: null },
  { pattern: '/models/:modelId', files: ['assets/model-1.js'], heading: null },
  { pattern: '/', files: ['assets/landing-1.js', 'assets/landing-1.css'], heading: null },
];

describe('The dashboard’s files', () => {
  const folder = makeTestFolder('web');
  let server: Server;
  let baseUrl: string;

  beforeAll(async () => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), `<!doctype html>\n<html lang="en">${head}${place}`);
    writeFileSync(join(folder, 'share.png'), 'a picture');
    writeFileSync(join(folder, 'pages.json'), JSON.stringify(pageList));
    writeFileSync(join(folder, 'assets/a-1.js'), script);
    writeFileSync(join(folder, 'assets/a-1.js.br'), brotliCompressSync(script));
    writeFileSync(join(folder, 'assets/a-1.js.gz'), gzipSync(script));
    writeFileSync(join(folder, 'assets/plain-1.css'), 'a{}');
    const catalogue = buildCatalogue({ providers: {}, isDemoProviderOn: true });
    const parts = { publicUrl: 'http://gate.example', catalogue };
    const files = createDashboardFiles(folder, { ...parts, isKnown: ({ headers }) => 'cookie' in headers });
    server = createServer(express().use(files));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => server.close());

  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('come compressed to whoever accepts %j, whole and under their own type', async (accepted, encoding) => {
    const response = await fetch(`${baseUrl}/assets/a-1.js`, { headers: { 'accept-encoding': accepted } });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('content-type')).toContain('javascript');
    expect(response.headers.get('vary')).toContain('accept-encoding');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(await response.text()).toBe(script);
  });

  it('come as they are where there is no compressed copy, and are missed where there is none at all', async () => {
    const plain = await fetch(`${baseUrl}/assets/plain-1.css`, { headers: { 'accept-encoding': 'br' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe('a{}');
    expect((await fetch(`${baseUrl}/assets/gone-1.js`)).status).toBe(404);
  });

  it.each([
    ['/', 200],
    ['/usage', 200],
    ['/usage/', 200],
    ['/checkout/simulated/pur_1', 200],
    ['/checkout/simulated', 404],
    ['/no-such-page', 404],
    ['/usage/more', 404],
    ['/models/demo-small', 200],
    ['/models/demo-small/', 200],
    ['/models/no-such-model', 404],
    ['/models/demo%2Fdemo-small', 404],
    ['/models/%E0%A4%A', 404],
    ['/models/demo-small/more', 404],
    ['/pages.json', 404],
  ])('answer a browser at %s with the page and status %d', async (path, status) => {
    const response = await fetch(baseUrl + path, { headers: { accept: 'text/html' } });
    expect([response.status, (await response.text()).includes('<script')]).toEqual([status, true]);
  });

  it('are the page at the root, and for a browser at every other address, with a nonce of its own each time', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };
    const [one, other] = await Promise.all([fetch(baseUrl), fetch(`${baseUrl}/usage`, { headers })]);
    const nonce = /nonce="([^"]+)"/.exec(await one.text())?.[1] ?? '';
    expect(one.headers.get('content-security-policy')).toContain(`'nonce-${nonce}'`);
    expect(await other.text()).not.toContain(nonce);
  });

  it.each([
    ['/usage', {}, ['/assets/usage-1.js', '/assets/chart-1.js']],
    ['/', { cookie: 'sid=1' }, ['/assets/overview-1.js']],
    ['/', {}, ['/assets/landing-1.js', '/assets/landing-1.css']],
    ['/no-such-page', {}, []],
  ])(
    'name in the page at %s the scripts and styles that it needs, for a request with %j',
    async (path, headers, scripts) => {
      const page = await (await fetch(baseUrl + path, { headers: { accept: 'text/html', ...headers } })).text();
      expect(
        [
          ...page.matchAll(
            /<link rel="(?:modulepreload|preload" as="style)" fetchpriority="low" crossorigin href="([^"]+)">/g,
          ),
        ].map(([, href]) => href),
      ).toEqual(scripts);
      expect(page).not.toMatch(/modulepreload"[^>]*\.css"/);
    },
  );

  it.each([
    ['/models/demo-small', 'demo-small: price and answer times · Tollgate'],
    ['/models/no-such-model', 'Tollgate'],
    ['/settings', 'Tollgate'],
  ])('are called at %s as what is there: %s', async (path, title) => {
    const page = await (await fetch(baseUrl + path, { headers: { accept: 'text/html' } })).text();
    expect(/<title>([^<]*)/.exec(page)?.[1]).toBe(title);
    expect(page.includes(`<link rel="canonical" href="http://gate.example${path}" />`)).toBe(title !== 'Tollgate');
  });

  it.each([
    ['/usage', {}, '<strong>Usage</strong><p>In &amp; out</p>'],
    ['/', { cookie: 'sid=1' }, '<strong>Overview</strong><p>Loading …</p>'],
    ['/', {}, ''],
    ['/checkout/simulated/pur_1', {}, ''],
    ['/no-such-page', {}, ''],
  ])(
    'have in the page at %s the heading that is known before any script, for a request with %j',
    async (path, headers, heading) => {
      const page = await (await fetch(baseUrl + path, { headers: { accept: 'text/html', ...headers } })).text();
      expect(page).toContain(place.replace('><', `>${heading}<`));
    },
  );

  it.each([
    ['/', { cookie: 'sid=1' }, true],
    ['/usage', { cookie: 'sid=1' }, true],
    ['/usage', {}, false],
    ['/no-such-page', { cookie: 'sid=1' }, false],
  ])(
    'mark the page at %s, for a request with %j, as one for somebody who is signed in: %j',
    async (path, headers, isMarked) => {
      const page = await (await fetch(baseUrl + path, { headers: { accept: 'text/html', ...headers } })).text();
      expect(page.includes('<html lang="en" data-known-visitor>')).toBe(isMarked);
    },
  );

  it('have a picture for sharing, which anybody may show, and whose whole address the page has', async () => {
    const response = await fetch(`${baseUrl}/share.png`);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('cache-control')).toContain('max-age=3600');
    expect(response.headers.get('cross-origin-resource-policy')).toBeNull();
    const page = await (await fetch(baseUrl)).text();
    expect(page).toContain('content="http://gate.example/share.png"');
  });

  it.each([undefined, '*/*', 'application/json'])('are no page elsewhere for who accepts %s', async (accept) => {
    const response = await fetch(`${baseUrl}/usage`, accept === undefined ? {} : { headers: { accept } });
    expect(response.status).toBe(404);
  });
});
