import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

describeOnEachDatabase('An address where nothing is', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);

  const ask = (path: string, { method = 'GET', accept = '*/*' } = {}) =>
    fetch(`${app.baseUrl}${path}`, { method, headers: { accept } });

  it.each([
    ['GET', '/nowhere'],
    ['GET', '/chat/completion'],
    ['POST', '/nowhere'],
    ['PUT', '/v2/chat/completions'],
    ['GET', '/v1/nowhere'],
    ['POST', '/api/proxy.php/chat/nowhere'],
    ['GET', '/api/nowhere'],
    ['GET', '/openai/nowhere'],
    ['POST', '/openai/deployments/gpt-4o-mini'],
    ['GET', '/assets/nowhere.js'],
    ['GET', '/metrics'],
  ])('%s %s is answered with OpenAI’s error object, which names the base address', async (method, path) => {
    for (const accept of ['*/*', 'application/json']) {
      const response = await ask(path, { method, accept });
      expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
      const { error } = (await response.json()) as { error: { message: string } };
      expect(error).toMatchObject({ type: 'invalid_request_error', param: null, code: 'unknown_url' });
      expect(error.message).toContain('http://tollgate.test/v1 or http://tollgate.test/api/proxy.php');
    }
  });

  it('is the dashboard’s page for a browser', async () => {
    const response = await ask('/nowhere', { accept: 'text/html,*/*;q=0.8' });
    expect(response.headers.get('content-type')).toContain('text/html');
  });

  it('GET /models is a list for everyone but a browser', async () => {
    for (const path of ['/models', '/models/', '/v1/models', '/openai/models']) {
      for (const accept of ['*/*', 'application/json', 'text/event-stream', '']) {
        expect(await (await ask(path, { accept })).json()).toMatchObject({ object: 'list' });
      }
    }
    expect((await ask('/models', { accept: 'text/html' })).headers.get('content-type')).toContain('text/html');
  });
});
