import { writeCsv } from './csv';

describe('writeCsv', () => {
  it('writes numbers as they are, quotes what needs it, and leaves no formula', () => {
    const rows = [
      ['time', 'a "b"', 'c,d'],
      ['2026-01-01T00:00:00Z', 12.345, null],
      ['=SUM(A1)', '-1.5', '@x\ny'],
    ];
    expect(writeCsv(rows)).toBe(
      'time,"a ""b""","c,d"\r\n2026-01-01T00:00:00Z,12.345,\r\n\'=SUM(A1),-1.5,"\'@x\ny"\r\n',
    );
  });
});
