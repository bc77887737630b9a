import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot } from '../test/architecture/source-tree.js';
import { hashSecret, hasValidChecksum, maskSecret, mintSecret } from './key-secret.js';

describe('key secrets', () => {
  it('have a fixed shape, a right checksum, and are never the same', () => {
    const secrets = Array.from({ length: 200 }, mintSecret);
    expect(new Set(secrets).size).toBe(200);
    for (const secret of secrets) {
      expect(secret).toMatch(/^sk-tg-[0-9A-Za-z]{46}$/);
      expect(hasValidChecksum(secret)).toBe(true);
    }
  });

  it('use every letter and digit about equally often', () => {
    const counts = new Map<string, number>();
    for (let round = 0; round < 2_000; round += 1) {
      for (const letter of mintSecret().slice(6, 46)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    const expected = (2_000 * 40) / 62;
    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(expected * 0.2);
  });

  it('betray every single mistyped character', () => {
    const secret = mintSecret();
    for (let position = 6; position < secret.length; position += 1) {
      const other = secret[position] === 'x' ? 'y' : 'x';
      expect(hasValidChecksum(secret.slice(0, position) + other + secret.slice(position + 1))).toBe(false);
    }
  });

  it.each([
    '',
    'sk-tg-',
    `sk-tg-${'0'.repeat(46)}`,
    `${mintSecret()} `,
    `${mintSecret()}\n`,
    mintSecret().slice(1),
    `Sk${mintSecret().slice(2)}`,
  ])('are not mistaken for %j', (text) => expect(hasValidChecksum(text)).toBe(false));

  it('are stored as SHA-256', () => {
    expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('are shown by their first and last four characters; a short or odd text is not shown at all', () => {
    expect(maskSecret('sk-tg-ab12345678901234567890123456789012345678909BgD')).toBe('sk-tg-ab12…9BgD');
    expect(maskSecret('sk-proj-0123456789abcdefghij')).toBe('sk-p…ghij');
    expect(maskSecret('hunter2hunter2')).toBe('…');
    expect(maskSecret(`sk-tg-${'\u0007'.repeat(46)}`)).toBe('…');
  });
});

describe('the pattern that is documented for scanners', () => {
  it('is found in the text of a page, around a key and nothing else', () => {
    const documented = /sk-tg-[0-9A-Za-z]{46}/;
    const page = readFileSync(join(findRepositoryRoot(import.meta.dirname), 'docs/api.md'), 'utf8');
    expect(page).toContain(`\`${documented.source}\``);
    const secret = mintSecret();
    expect(documented.exec(`API_KEY="${secret}"`)?.[0]).toBe(secret);
    expect(documented.test(secret.slice(0, -1))).toBe(false);
  });
});
