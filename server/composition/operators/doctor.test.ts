import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '../../config/config.js';
import { examineRunning } from './doctor.js';

const production = { NODE_ENV: 'production', TRUST_PROXY: '1', OPENAI_API_KEY: 'sk-abc', SIGNUP_CREDITS: '5' };
const nothingSet = { providers: [], keys: new Map(), off: new Set<string>(), ranks: new Map() };
const noModels = { models: [], unansweredModels: [] };

describe('doctor, of what strangers could make use of', () => {
  let server: Server;
  let answer: object = {};
  let publicUrl: string;

  beforeAll(async () => {
    server = createServer((_, response) => response.end(JSON.stringify(answer)));
    await new Promise<void>((resolve) => server.listen(0, resolve));
    // This machine by an address that does not say so.
    publicUrl = `http://0.0.0.0:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  async function find(signUpMode: 'open' | 'invited' | 'closed', off: readonly string[] = []): Promise<string> {
    const config = loadConfig({ ...production, PUBLIC_URL: publicUrl }, () => null);
    const running = { offered: noModels, overlay: { ...nothingSet, off: new Set(off) }, signUpMode };
    const findings = await examineRunning(config, async () => running);
    return findings.flatMap(({ check, text }) => (check === 'exposure' ? [text] : [])).join('\n');
  }

  it('counts providers as operators have set them, and free credits only where strangers can sign up', async () => {
    const gift = /Each new account gets 5 credits for .*openai/;
    expect(await find('open')).toMatch(gift);
    expect(await find('open', ['openai'])).not.toMatch(gift);
    for (const mode of ['invited', 'closed'] as const) expect(await find(mode)).not.toMatch(gift);
  });

  it('asks at the public address whether a Tollgate answers there', async () => {
    const warning = `No Tollgate answers at ${publicUrl}/healthz`;
    expect(await find('open')).toContain(warning);
    answer = { status: 'ok', database: 'up', ledger: {}, settlements: {} };
    expect(await find('open')).not.toContain(warning);
  });
});
