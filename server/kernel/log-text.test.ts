import { createLogger } from './logger.js';

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
