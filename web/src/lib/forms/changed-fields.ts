/**
 * The fields that were changed in a form, by what it showed when it opened. A form that sends these alone undoes nothing that
 * somebody else has changed meanwhile. Lists are the same with the same parts in the same order.
 */
export function changedFields<Fields extends object>(shown: Fields, wanted: Fields): Partial<Fields> {
  const before = new Map<string, unknown>(Object.entries(shown));
  const isChanged = ([name, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(before.get(name));
  return Object.fromEntries(Object.entries(wanted).filter(isChanged)) as Partial<Fields>;
}
