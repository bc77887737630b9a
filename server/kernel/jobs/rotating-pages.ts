/**
 * Pages of rows that a job looks at again and again, each from where the one before ended and round again: rows that cannot be dealt with
 * keep none behind them waiting.
 */
export class RotatingPages<Row> {
  #after = '';

  /** @param keyOf What the rows are read in the order of. */
  constructor(
    private readonly rowsPerPage: number,
    private readonly keyOf: (row: Row) => string,
  ) {}

  /** @param read Gives at most so many rows, the first ones behind a key; '' is before all of them. */
  async next(read: (after: string, rowsMax: number) => Promise<readonly Row[]>): Promise<readonly Row[]> {
    let rows = await read(this.#after, this.rowsPerPage);
    if (rows.length === 0 && this.#after !== '') rows = await read('', this.rowsPerPage);
    const last = rows.at(-1);
    this.#after = last === undefined || rows.length < this.rowsPerPage ? '' : this.keyOf(last);
    return rows;
  }
}
