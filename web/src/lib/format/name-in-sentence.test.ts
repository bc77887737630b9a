import { nameInSentence } from './name-in-sentence';

describe('A name in a sentence', () => {
  it.each(['مفتاح الإنتاج!', 'Laptop of علي!', 'מפתח?'])(
    'stands apart from its words where it is read from the right: %j',
    (name) => {
      expect(`${nameInSentence(name)} is stopped.`).toBe(`\u2068${name}\u2069 is stopped.`);
    },
  );

  it.each(['Laptop', 'Übersetzungsdienst!', '営業レポートの要約', ''])('is as it is otherwise: %j', (name) => {
    expect(nameInSentence(name)).toBe(name);
  });
});
