import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '../..');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));

describe('Every field for a password', () => {
  it('is masked, says to password managers what it is for, and lets them and everybody paste', () => {
    let fields = 0;
    for (const file of files) {
      const source = readFileSync(join(folder, file), 'utf8');
      for (const [field] of source.matchAll(/<PasswordInput\b[\s\S]*?\/>/g)) {
        fields += 1;
        expect([file, field]).toEqual([file, expect.stringMatching(/autoComplete="(current|new)-password"/)]);
      }
      // A password in another field would be shown, and its caps and spelling looked after.
      expect([file, /<TextInput\b[^>]*name="[^"]*password/.test(source)]).toEqual([file, false]);
      expect([file, /onPaste|onBeforeInput/.test(source)]).toEqual([file, false]);
    }
    expect(fields).toBeGreaterThanOrEqual(10);
  });
});
