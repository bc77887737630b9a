import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser.js';
import { signUpOnPage } from '../support/page-account.js';
import { waitUntilCalm } from '../support/page-calm.js';
import { listAccessibilityFaults } from '../support/page-faults.js';
import { useSharedStack } from '../support/shared-stack.js';

const assets = join(import.meta.dirname, '../../web/assets');
const mantineStyles = createRequire(import.meta.url).resolve('@mantine/core/styles.css');
/** Bytes of compressed JavaScript of a first visit. The overview's had 195,476 before what many pages share became one file, and 221,135 since. */
const scriptBytesMax = 225_000;
/** Come some time after the page, which is before a slow machine is calm. */
const lateScripts = /^(toasts|notice-bell|use-notices)-/;

describeInBrowser('the first load', (openPage) => {
  describe('of a page', () => {
    const stack = useSharedStack();

    /** The scripts that a visit asks for until the page is there, and their size as browsers are sent them. */
    async function measure(page: Page, path: string) {
      const names = new Set<string>();
      page.on('request', (request) => {
        if (request.url().endsWith('.js')) names.add(request.url().split('/').at(-1) ?? '');
      });
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await waitUntilCalm(page);
      const scripts = [...names].filter((name) => existsSync(join(assets, name)) && !lateScripts.test(name));
      const bytes = scripts.reduce((sum, name) => sum + statSync(join(assets, `${name}.br`)).size, 0);
      return { bytes, names: scripts };
    }

    it.each(['/', '/sign-up'])('of %s has at most 225 kB of compressed JavaScript, and no chart', async (path) => {
      const { page } = await openPage({ baseUrl: stack.baseUrl });
      const { bytes, names } = await measure(page, path);
      expect(bytes).toBeGreaterThan(50_000);
      expect(bytes).toBeLessThanOrEqual(scriptBytesMax);
      expect(names.filter((name) => /chart|playground|docs/.test(name))).toEqual([]);
      console.log(`${path}: ${bytes} bytes of JavaScript, compressed`);
    });

    it('of the overview of a new account has at most 225 kB of compressed JavaScript, and no chart', async () => {
      const { page, context } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Annie Easley');
      const visit = await context.newPage();
      const { bytes, names } = await measure(visit, '/');
      expect(bytes).toBeGreaterThan(50_000);
      expect(bytes).toBeLessThanOrEqual(scriptBytesMax);
      expect(names.filter((name) => /chart|playground|docs/.test(name))).toEqual([]);
      console.log(`overview: ${bytes} bytes of JavaScript, compressed`);
    });

    it.each([
      [1280, 'light', 'Dorothy Vaughan'],
      [390, 'dark', 'Mary Jackson'],
    ] as const)(
      'shows a known visitor the frame before any script, %d pixels wide and %s',
      async (width, colorScheme, name) => {
        const { page, context } = await openPage({ baseUrl: stack.baseUrl, width, colorScheme });
        await signUpOnPage(page, name);
        const whole = await readPlace(page, 'header');
        const visit = await context.newPage();
        const letGo = await holdScripts(visit);
        await visit.goto('/usage', { waitUntil: 'commit' });
        await visit.getByText('Tollgate', { exact: true }).waitFor();
        expect(await visit.getByRole('main', { name: 'Loading' }).isVisible()).toBe(true);
        expect(await listAccessibilityFaults(visit)).toEqual([]);
        expect(await readPlace(visit, '.first-frame-header')).toEqual(whole);
        const title = await visit.getByText('Usage', { exact: true }).boundingBox();
        const description = await visit.getByText(/^Where your credits go/).boundingBox();
        letGo();
        const heading = visit.getByRole('heading', { name: 'Usage', level: 1 });
        await heading.waitFor();
        expect(await visit.locator('.first-frame').count()).toBe(0);
        expect(await heading.boundingBox()).toMatchObject(heightAndPlace(title));
        expect(await visit.locator('h1 + p').boundingBox()).toMatchObject(heightAndPlace(description));
      },
    );

    it('shows it as well in a browser that has kept nothing but the cookie of a session', async () => {
      const { page, context } = await openPage({ baseUrl: stack.baseUrl });
      await signUpOnPage(page, 'Christine Darden');
      await page.evaluate('localStorage.clear()');
      const visit = await context.newPage();
      const letGo = await holdScripts(visit);
      await visit.goto('/usage', { waitUntil: 'commit' });
      await visit.getByText('Usage', { exact: true }).waitFor();
      expect(await visit.locator('.first-frame').isVisible()).toBe(true);
      letGo();
      await visit.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    });

    it('shows nothing of it to whoever is new here', async () => {
      const { page } = await openPage({ baseUrl: stack.baseUrl });
      await page.route('**/assets/*.js', (route) => route.abort());
      await page.goto('/');
      expect(await page.locator('.first-frame').isVisible()).toBe(false);
    });

    it('runs its first script in two parts, packages and what is our own, which come behind the styles', () => {
      const html = readFileSync(join(assets, '../index.html'), 'utf8');
      const parts = [...html.matchAll(/<link rel="modulepreload" data-part fetchpriority="low" [^>]*\/([^/"]+)"/g)];
      const names = parts.map(([, name = '']) => name.replace(/-.*/, ''));
      expect(names.filter((name) => name !== 'rolldown')).toEqual(['packages', 'index']);
      const scripts = [...html.matchAll(/<script [^>]*src="([^"]+)"/g)].map(([, file]) => file);
      expect(scripts).toEqual(['/before-first-paint.js', '/run-parts.js']);
      const [, packages = '', own = ''] = parts.map(([, name = '']) => name);
      for (const name of [packages, own]) {
        expect(readFileSync(join(assets, name), 'utf8').split('\n', 1)).toEqual(['//# allFunctionsCalledOnLoad']);
      }
    });

    it('asks in its first script for what the frame needs, and nothing of the pages', () => {
      const first = readdirSync(assets).filter((name) => /^index-.*\.js$/.test(name));
      const questions = first.flatMap(
        (name) => readFileSync(join(assets, name), 'utf8').match(/kind:[`"']OperationDefinition/g) ?? [],
      );
      expect(questions.length).toBeGreaterThan(0);
      expect(questions.length).toBeLessThan(12);
    });

    it('has the style of every component that it has the code of', () => {
      const known = new Set(listMantineClasses(readFileSync(mantineStyles, 'utf8')));
      const [scripts, styles] = ['.js', '.css'].map((ending) => {
        const names = readdirSync(assets).filter((name) => name.endsWith(ending));
        return new Set(names.flatMap((name) => listMantineClasses(readFileSync(join(assets, name), 'utf8'))));
      });
      const used = [...(scripts ?? [])].filter((name) => known.has(name));
      expect(used.length).toBeGreaterThan(100);
      // What is missed here has its file named in web/src/app/mantine.css.
      expect(used.filter((name) => !styles?.has(name))).toEqual([]);
    });

    it('brings compressed copies that are the files themselves', () => {
      const scripts = readdirSync(assets).filter((name) => /\.(js|css)$/.test(name));
      expect(scripts.length).toBeGreaterThan(20);
      for (const name of scripts) {
        const file = readFileSync(join(assets, name));
        expect(gunzipSync(readFileSync(join(assets, `${name}.gz`))).equals(file)).toBe(true);
        expect(brotliDecompressSync(readFileSync(join(assets, `${name}.br`))).equals(file)).toBe(true);
      }
    });
  });
});

/** Holds the scripts of a page back. @returns what lets them go */
async function holdScripts(page: Page): Promise<() => void> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/assets/*.js', (route) => held.then(() => route.continue()));
  return letGo;
}

/** Its width may be that of its words, or of the page. */
function heightAndPlace(box: { x: number; y: number; height: number } | null) {
  return { x: box?.x, y: box?.y, height: box?.height };
}

/** Where the part of a page is that a selector names, and on which ground. */
async function readPlace(page: Page, selector: string) {
  const part = page.locator(selector);
  const ground = await part.evaluate((element) => {
    const { getComputedStyle } = globalThis as unknown as {
      getComputedStyle(of: unknown): { readonly backgroundColor: string };
    };
    return getComputedStyle(element).backgroundColor;
  });
  return { ground, ...(await part.boundingBox()) };
}

/** The library's classes have names like `m_87cf2631`. */
function listMantineClasses(text: string): string[] {
  return text.match(/\bm_[0-9a-f]{6,8}\b/g) ?? [];
}
