import { assertWebhookUrl } from './webhook-address.js';

describe('assertWebhookUrl', () => {
  it('takes https on the public internet, and in development plain http on this machine as well', () => {
    expect(() => assertWebhookUrl('url', 'https://example.com/x?y=1', false)).not.toThrow();
    expect(() => assertWebhookUrl('url', 'http://127.0.0.1:3000/', true)).not.toThrow();
  });

  it.each(['http://example.com/', 'file:///etc/passwd', 'https://0x7f.1/', 'https://[::1]/'])('refuses %s', (url) => {
    expect(() => assertWebhookUrl('url', url, false)).toThrow(/address/);
  });
});
