import { readFileSync } from 'node:fs';
import { describePage, findPublicPage, namePicture, publicPages, sharedPicture } from './public-pages.js';

const html = readFileSync('web/index.html', 'utf8');
const read = (page: string, pattern: RegExp) => pattern.exec(page)?.[1];

describe('a public page', () => {
  it.each(publicPages)('has a title, a description and one address of its own at $path', (described) => {
    const { path, title, description } = described;
    const page = describePage(html, described, 'https://gate.example');
    expect(read(page, /rel="canonical" href="([^"]*)/)).toBe(`https://gate.example${path}`);
    expect(read(page, /<title>([^<]*)/)).toBe(title);
    expect(read(page, /name="description" content="([^"]*)/)).toBe(description);
    expect(read(page, /og:title" content="([^"]*)/)).toBe(title);
    expect(read(page, /og:description" content="([^"]*)/)).toBe(description);
    expect([title.length <= 60, description.length <= 160]).toEqual([true, true]);
  });

  it.each(publicPages)('names a picture for sharing by its whole address at $path', (described) => {
    const page = describePage(namePicture(html, 'https://gate.example'), described, 'https://gate.example');
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

  it('differs from every other one, and is found with a slash behind it, too', () => {
    expect(new Set(publicPages.map(({ title }) => title)).size).toBe(publicPages.length);
    expect(findPublicPage('/status/')).toBe(findPublicPage('/status'));
    expect([findPublicPage('/status/')?.path, findPublicPage('/settings')]).toEqual(['/status', null]);
  });
});
