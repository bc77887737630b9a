import { readFileSync } from 'node:fs';
import { describePage, namePicture, publicPages, sharedPicture } from './public-pages.js';

const html = readFileSync('web/index.html', 'utf8');
const read = (page: string, pattern: RegExp) => pattern.exec(page)?.[1];

describe('a public page', () => {
  it.each(publicPages)('has a title and a description of its own at $path', ({ path, title, description }) => {
    const page = describePage(html, path);
    expect(read(page, /<title>([^<]*)/)).toBe(title);
    expect(read(page, /name="description" content="([^"]*)/)).toBe(description);
    expect(read(page, /og:title" content="([^"]*)/)).toBe(title);
    expect(read(page, /og:description" content="([^"]*)/)).toBe(description);
    expect([title.length <= 60, description.length <= 160]).toEqual([true, true]);
  });

  it.each(publicPages)('names a picture for sharing by its whole address at $path', ({ path }) => {
    const page = describePage(namePicture(html, 'https://gate.example'), path);
    expect(read(page, /og:image" content="([^"]*)/)).toBe('https://gate.example/share.png');
    expect(read(page, /twitter:card" content="([^"]*)/)).toBe('summary_large_image');
  });

  it('has a picture of the size that its head tells, and small enough for those who show it', () => {
    const picture = readFileSync(`web/public${sharedPicture}`);
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    const size = [picture.readUInt32BE(16), picture.readUInt32BE(20)].map(String);
    expect(size).toEqual([
      read(html, /og:image:width" content="([^"]*)/),
      read(html, /og:image:height" content="([^"]*)/),
    ]);
    expect(picture.length).toBeLessThan(300_000);
  });

  it('differs from every other one, and pages that are not listed keep what stands there', () => {
    expect(new Set(publicPages.map(({ title }) => title)).size).toBe(publicPages.length);
    expect(describePage(html, '/status/')).toBe(describePage(html, '/status'));
    expect(describePage(html, '/settings')).toBe(html);
  });
});
