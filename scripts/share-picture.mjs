import { readFileSync } from 'node:fs';

const [width, height] = [1200, 630];

/**
 * Draws `web/pictures/share.svg` as `web/public/share.png`, which stands beside a link to any page: who shows it takes no SVG.
 * @param {import('playwright-core').Browser} browser
 */
export async function drawSharePicture(browser) {
  const page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(`<style>body { margin: 0 }</style>${readFileSync('web/pictures/share.svg', 'utf8')}`);
  await page.screenshot({ path: 'web/public/share.png' });
  await page.close();
}
