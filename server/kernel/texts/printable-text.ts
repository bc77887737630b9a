/*
 * What a name, a reason or a label may hold: letters, marks, numbers, punctuation, symbols and spaces of one line, and the two joiners
 * without which Persian, Indic scripts and many emoji are other words. Nothing that changes the direction of what stands beside it, or is
 * not seen at all.
 */
const printable = String.raw`\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\u200c\u200d`;
const allPrintable = new RegExp(`^[${printable}]*$`, 'u');
const notPrintable = new RegExp(`[^${printable}]`, 'gu');

// A joiner, a filler or a selector of variants changes nothing that is seen of an address.
const allVisible = new RegExp(String.raw`^((?!\p{Default_Ignorable_Code_Point})[${printable}])*$`, 'u');

// Beside what Unicode lets be ignored, such as the filler U+3164, which is a letter, Braille has a symbol without a dot.
const visible = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether each character of a text can be seen, or is a space: of addresses, which are compared without what cannot. */
export function isVisible(text: string): boolean {
  return allVisible.test(text);
}

/** Whether a text holds nothing else and, where it is not empty, at least one character that is seen. */
export function isPrintable(text: string): boolean {
  return allPrintable.test(text) && (text === '' || hasVisible(text));
}

/** Whether a text is printable and has so many characters, as a person counts: an emoji or a rare ideograph is one character, not two. */
export function isPrintableWithin(text: string, lengthMin: number, lengthMax: number): boolean {
  const { length } = [...text];
  return length >= lengthMin && length <= lengthMax && isPrintable(text);
}

/** Whether anything of a text is seen by itself: not of one that holds spaces, joiners, fillers and marks alone. */
export function hasVisible(text: string): boolean {
  return visible.test(text);
}

/** The text without anything else, for what others say of themselves and nobody can be asked to change. */
export function onlyPrintable(text: string): string {
  return text.replaceAll(notPrintable, '');
}
