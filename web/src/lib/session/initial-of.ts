/** The first character of a name, whole and in capitals; a question mark for none. */
export function initialOf(name: string): string {
  const [first = '?'] = name.trim();
  return first.toUpperCase();
}
