const rightToLeft =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/**
 * A name as it stands in a sentence: what is read from the right stands apart from the words around it, with its punctuation at its own
 * end; any other name is as it is. A name that stands alone needs nothing: the stylesheet gives each its direction.
 */
export function nameInSentence(name: string): string {
  return rightToLeft.test(name) ? `\u2068${name}\u2069` : name;
}
