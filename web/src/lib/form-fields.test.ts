import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '..');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.tsx') && !name.includes('.test.') && !name.startsWith('gallery'),
);
const field = /<(?:TextInput|PasswordInput|Textarea|NumberField)\b/g;

/** The tag that begins here; braces may hold a `>` of their own. */
function readTag(source: string, start: number): string {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === '{') depth += 1;
    else if (source[at] === '}') depth -= 1;
    else if (source[at] === '>' && depth === 0) return source.slice(start, at + 1);
  }
  throw new Error('A tag has no end.');
}

/** Forms of fields that the hand fills in, without which nothing is lost when the session ends by itself. */
const unkept: Readonly<Record<string, readonly string[]>> = {
  'it is filled in where nobody is signed in, and half of it is a password': [
    ...['session/sign-up-form.tsx', 'session/sign-in-form.tsx', 'session/second-step-form.tsx'],
    ...['operator/people/operator-join.tsx', 'operator/people/operator-sign-in.tsx'],
  ],
  'it is one field beside passwords or codes, or none': [
    ...['settings/email-form.tsx', 'settings/new-authenticator-app.tsx', 'settings/new-passkey.tsx'],
    ...['settings/password-form.tsx', 'session/fresh-proof-dialog.tsx'],
  ],
};

describe('Every form of a feature', () => {
  const forms = files
    .filter((file) => file.startsWith('features'))
    .map((file) => ({ file, source: readFileSync(join(folder, file), 'utf8') }))
    .filter(({ source }) => source.includes('<form') || source.includes('useKeptForm('));
  const isKept = (source: string) => /\buseKeptForm\(|\bkeptAs: '|\buseTypedAct\(/.test(source);

  it('that asks for more than one field by hand keeps them while the session ends by itself, or is listed with a reason', () => {
    const asking = forms.filter(({ source }) => [...source.matchAll(field)].length > 1);
    const losing = asking.filter(({ source }) => !isKept(source)).map(({ file }) => file);
    const listed = Object.values(unkept).flat();
    expect(losing.filter((file) => !listed.includes(file.slice('features/'.length)))).toEqual([]);
    expect(forms.filter(({ source }) => isKept(source)).length).toBeGreaterThanOrEqual(8);
  });

  it('in a dialog gives up what was typed in whichever way it is closed, and is closed by no click beside it', () => {
    const dialogs = files
      .filter((file) => file.startsWith('features'))
      .map((file) => ({ file, source: readFileSync(join(folder, file), 'utf8') }))
      .filter(({ source }) => isKept(source) || source.includes('useTypedAct('))
      .flatMap(({ file, source }) =>
        [...source.matchAll(/<(?:Modal|ShownOnceModal)\b/g)].map(
          ({ index }) => [file, readTag(source, index)] as const,
        ),
      );
    expect(dialogs.length).toBeGreaterThanOrEqual(5);
    for (const [file, tag] of dialogs) {
      expect([file, tag]).toEqual([
        file,
        expect.stringMatching(/onClose=\{(?:cancel|\(\) => cancelling\.current\(\))\}/),
      ]);
      expect([file, tag]).toEqual([file, expect.stringContaining('closeOnClickOutside={false}')]);
    }
  });

  it('that keeps what is typed has no field for a password', () => {
    const withPassword = forms.filter(({ source }) => isKept(source) && source.includes('<PasswordInput'));
    expect(withPassword.map(({ file }) => file)).toEqual([]);
  });
});

describe('Every field of a form', () => {
  it('has a name, by which browsers and password managers know what they have filled in there before', () => {
    let fields = 0;
    for (const file of files) {
      const source = readFileSync(join(folder, file), 'utf8');
      if (!source.includes('<form')) continue;
      for (const { index } of source.matchAll(field)) {
        fields += 1;
        expect([file, readTag(source, index)]).toEqual([file, expect.stringMatching(/\bname=/)]);
      }
    }
    expect(fields).toBeGreaterThanOrEqual(35);
  });

  it('is, for a number, the one that shows what it reports: the library’s own takes a comma for a point', () => {
    const others = files.filter((file) =>
      /\bNumberInput\b|type="number"/.test(readFileSync(join(folder, file), 'utf8')),
    );
    expect(others).toEqual([]);
  });
});
