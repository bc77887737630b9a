import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

const model = 'gpt-4o-mini';
const toChat = (url: string) => ({
  model,
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
});
const toResponses = (url: string) => ({
  model,
  input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }],
});
const toMessages = (url: string) => ({
  model,
  max_tokens: 50,
  messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
});

describeOnEachDatabase('An image at a name', (openTestDatabase) => {
  const asked: string[] = [];
  const app = TestApp.forAll(openTestDatabase, {}, undefined, async (name) => {
    asked.push(name);
    return name === 'pictures.example' ? ['203.0.113.80'] : ['10.96.0.17'];
  });
  const account = app.accountForAll(5);

  it.each([
    ['/chat/completions', toChat],
    ['/responses', toResponses],
    ['/messages', toMessages],
  ])('of a private network is refused at %s: nothing is sent, held or charged', async (path, toBody) => {
    const sent = app.upstream.requests.length;
    const charged = await app.chargeOf(account, async () => {
      const response = await app.call(account.secret, toBody('http://vault.default.svc:8200/v1/sys/health'), path);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('its host must be found at public addresses');
    });
    expect({ charged, sent: app.upstream.requests.length - sent }).toEqual({ charged: 0, sent: 0 });
  });

  it('of the public internet is passed on as it was written', async () => {
    const url = 'https://pictures.example/a.png?size=large';
    expect((await app.call(account.secret, toChat(url))).status).toBe(200);
    expect(app.upstream.requests.at(-1)?.text).toContain(url);
  });

  it('alone costs a look-up: a call without one asks no name server', async () => {
    asked.length = 0;
    for (const url of ['data:image/png;base64,aGk=', 'https://1.1.1.1/a.png']) {
      expect((await app.call(account.secret, toChat(url))).status).toBe(200);
    }
    expect((await app.call(account.secret, { model, messages: [{ role: 'user', content: 'Hi' }] })).status).toBe(200);
    expect(asked).toEqual([]);
  });
});
