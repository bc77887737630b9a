/** Prints an answer for people: a line for each fact, and one for each row of a list. */
export function printFacts(facts: unknown): void {
  for (const line of listLines(facts, '')) console.log(line);
}

function listLines(value: unknown, name: string): readonly string[] {
  // What a change answers that has nothing to tell.
  if (value === true && name === '') return ['done'];
  if (Array.isArray(value)) return value.length === 0 ? [`${name}: none`] : value.map((row) => joinRow(row));
  if (value === null || typeof value !== 'object') return [name === '' ? show(value) : `${name}: ${show(value)}`];
  const entries = Object.entries(value);
  // The one thing that was asked for needs no name.
  const [only] = entries;
  if (name === '' && entries.length === 1 && only !== undefined)
    return listLines(only[1], isList(only[1]) ? only[0] : '');
  return entries.flatMap(([inner, fact]) => listLines(fact, name === '' ? inner : `${name} ${inner}`));
}

function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function joinRow(row: unknown): string {
  if (row === null || typeof row !== 'object') return show(row);
  return Object.entries(row)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => (typeof value === 'object' ? `${name} (${joinAny(value)})` : `${name} ${show(value)}`))
    .join('  ');
}

function joinAny(value: unknown): string {
  return Array.isArray(value) ? value.map(joinRow).join('; ') : joinRow(value);
}

function show(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === null || value === undefined ? 'none' : String(value);
}
