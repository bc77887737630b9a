import { QueryFailedError } from 'typeorm';
import { createLogger } from './logger.js';

describe('An error in the log', () => {
  it.each(['warn', 'error'] as const)(
    'is told by %s with its message, and with nothing that a driver hangs on it',
    (level) => {
      const lines: string[] = [];
      const logger = createLogger('info', { destination: { write: (line: string) => void lines.push(line) } });
      const sql = "INSERT INTO refusal (end_user) VALUES ('canary')";
      const refused = Object.assign(new Error('The table is full'), { code: 'ER_RECORD_FILE_FULL', sql });
      logger[level]('refusals_not_kept', { count: 1, error: new QueryFailedError(sql, ['canary'], refused) });
      expect(lines.map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({
          event: 'refusals_not_kept',
          count: 1,
          error: expect.objectContaining({ message: 'The table is full', code: 'ER_RECORD_FILE_FULL' }),
        }),
      ]);
      expect(lines.join()).not.toContain('canary');
    },
  );
});

describe('LOG_FORMAT=text', () => {
  it('writes a line for people, and nothing of somebody else’s that could break it', () => {
    const lines: string[] = [];
    const logger = createLogger('info', { format: 'text', destination: { write: (line: string) => lines.push(line) } });
    logger.info('call_completed', { model: 'gpt-4o-mini', totalMs: 12, errorCode: null });
    logger.warn('odd_name', { name: 'two\nlines \u001b[31m', password: 'canary' });
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}call_completed model=gpt-4o-mini totalMs=12\n$/);
    expect(lines[1]).toContain(String.raw`WARN  odd_name name="two\nlines \u001b[31m"`);
    expect(lines.join('')).not.toContain('canary');
  });
});
