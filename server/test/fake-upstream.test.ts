import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { readFaultVerbs } from './fake-upstream-verbs.js';

describe('readFaultVerbs', () => {
  it('finds verbs with and without a value', () => {
    const verbs = readFaultVerbs('Please @@status=500 and @@no-usage\n@@usage=-1,"x"');
    expect([...verbs]).toEqual([
      ['status', '500'],
      ['no-usage', ''],
      ['usage', '-1,"x"'],
    ]);
  });
});

describe('the fake upstream as a process', () => {
  it('tells its port, answers, and lists what it was asked', async () => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('./fake-upstream-process.js', import.meta.url))]);
    try {
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      const { port, baseUrl } = JSON.parse(line) as { port: number; baseUrl: string };
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
      const answer = await request(`${baseUrl}/chat/completions`, { method: 'POST', body });
      expect(await answer.body.json()).toMatchObject({ usage: { prompt_tokens: 11, completion_tokens: 3 } });
      const list = await request(`http://127.0.0.1:${port}/requests`);
      expect(await list.body.json()).toMatchObject([{ path: '/v1/chat/completions', body: { model: 'm' } }]);
    } finally {
      child.kill();
    }
  });
});
