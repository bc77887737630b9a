import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');
const sourceOf = (name: string) => readFileSync(join(root, name), 'utf8');
/** What asks the server, also by a hook that several pages share. */
const asks = /\buse(?:Query|Measures|Notices)\(/;
const asking = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.startsWith('features') && /\.tsx$/.test(name) && !name.includes('.test.'))
  .filter((name) => asks.test(sourceOf(name)));

/** Pages whose query may fail in silence: what they show then is no claim about what is stored. */
const silent: Readonly<Record<string, readonly string[]>> = {
  'it only adds to a page that is whole without it': [
    ...['announcements/announcements.tsx', 'docs/docs-page.tsx', 'landing/landing-page.tsx'],
    ...['palette/command-palette.tsx', 'purchases/purchase-return.tsx', 'session/provider-buttons.tsx'],
    ...['keys/key-form-modal.tsx', 'playground/message-list.tsx'],
  ],
  'another card of the page asks the same, and tells': ['settings/recovery-codes.tsx'],
  'the session gate asks the same, and tells': ['session/account-menu.tsx', 'session/session-gate.tsx'],
};

/** What each query of a file is taken apart into. */
function listTaken(source: string): string[] {
  const before = source.split(asks).slice(0, -1);
  return before.map((text) => text.slice(Math.max(text.lastIndexOf('const '), text.lastIndexOf('return '))));
}

describe('Every query of a page', () => {
  it('tells when it fails, and does not look as if nothing were there, or is listed with a reason', () => {
    const untold = asking.filter((name) => listTaken(sourceOf(name)).some((taken) => !/\berror\b/.test(taken)));
    const listed = Object.values(silent).flat();
    expect(asking.length).toBeGreaterThan(60);
    expect(untold.toSorted()).toEqual(listed.map((name) => join('features', name)).toSorted());
  });
});
