import './check-node-version.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from './find-chromium.mjs';
import { installAndBuild } from './prepare.mjs';
import { projectRoot } from './run-step.mjs';
import { drawSharePicture } from './share-picture.mjs';

/*
 * `npm run pictures`: takes the README's pictures of a fresh demo account, which is made and thrown away for it, and draws the one for
 * sharing. Needs Chromium.
 */
const port = 18_080;
const baseUrl = `http://127.0.0.1:${port}`;
const password = 'for-the-pictures';
/** Names of providers that are on in the pictures; nobody calls them. */
const providerKeys = ['OPENAI', 'DEEPSEEK', 'MISTRAL', 'GROQ'].map((name) => [`${name}_API_KEY`, 'none']);
const pictures = [
  { path: '/', name: 'dashboard' },
  { path: '/usage', name: 'usage' },
  { path: '/calls', name: 'calls' },
  { path: '/playground', name: 'playground' },
];

process.chdir(projectRoot);
await installAndBuild('test');
// Not before: a fresh clone has no packages yet.
const { chromium } = await import('playwright-core');
const folder = mkdtempSync(join(tmpdir(), 'tollgate-pictures-'));
const env = {
  PATH: process.env.PATH,
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: baseUrl,
  DATABASE_URL: `sqlite:${join(folder, 'demo.db')}`,
  SPOOL_DIR: join(folder, 'spool'),
  SEED_PASSWORD: password,
  ...Object.fromEntries(providerKeys),
};
try {
  const seed = spawn(process.execPath, ['dist/server/cli/seed.js'], { env, stdio: 'inherit' });
  const [status] = await once(seed, 'exit');
  if (status !== 0) throw new Error('The demo account was not made.');
  const server = spawn(process.execPath, ['dist/server/main.js'], { env, stdio: 'ignore' });
  try {
    await takePictures();
  } finally {
    server.kill();
    await once(server, 'exit');
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function takePictures() {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('There is no Chromium. Name one in CHROMIUM_PATH.');
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false });
  try {
    await drawSharePicture(browser);
    const page = await browser.newPage({
      baseURL: baseUrl,
      viewport: { width: 1280, height: 860 },
      reducedMotion: 'reduce',
      locale: 'en-GB',
    });
    await waitForServer();
    await page.goto('/sign-in');
    await page.getByRole('textbox', { name: 'E-mail' }).fill('demo@tollgate.example');
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('region', { name: 'Balance' }).waitFor();
    for (const { path, name } of pictures) {
      await page.goto(path);
      if (name === 'playground') await askSomething(page);
      await waitUntilCalm(page);
      await page.screenshot({ path: `docs/images/${name}.png` });
    }
  } finally {
    await browser.close();
  }
}

/** @param {import('playwright-core').Page} page */
async function waitUntilCalm(page) {
  // Grey bars stand for what is not there yet; the code of a chart comes after its page.
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(2_000);
}

async function waitForServer() {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isUp = await fetch(`${baseUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The server did not start.');
}

/** @param {import('playwright-core').Page} page */
async function askSomething(page) {
  await page.getByRole('textbox', { name: 'Your message' }).fill('What does a toll gate do?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('link', { name: 'Receipt' }).waitFor();
}
