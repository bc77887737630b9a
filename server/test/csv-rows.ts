/** The rows of an exported file, each by the names of its columns, whatever columns follow later. Of files without quoted commas. */
export function readCsvRows(text: string): readonly Readonly<Record<string, string>>[] {
  const [names = [], ...rows] = text
    .trim()
    .split('\r\n')
    .map((line) => line.split(','));
  return rows.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])));
}
