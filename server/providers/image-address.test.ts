import { AppError } from '../kernel/app-error.js';
import { parseRequest } from '../proxy/requests/parse-request.js';
import { isPublicImage } from './image-address.js';

const refused = [
  'http://127.0.0.1/a.png',
  'http://127.1/a.png',
  'http://0x7f.1/a.png',
  'http://2130706433/a.png',
  'http://017700000001/a.png',
  'http://[::1]/a.png',
  'http://[::ffff:7f00:1]/a.png',
  'http://[::ffff:169.254.169.254]/latest/meta-data/',
  'http://[fe80::1]/a.png',
  'http://[fd00::1]/a.png',
  'http://[64:ff9b::7f00:1]/a.png',
  'http://[2002:7f00:1::]/a.png',
  'http://0.0.0.0/a.png',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.7:8000/a.png',
  'http://172.31.255.255/a.png',
  'http://192.168.1.1/a.png',
  'http://100.100.100.200/a.png',
  'http://255.255.255.255/a.png',
  'http://localhost/a.png',
  'http://LOCALHOST./a.png',
  'http://a.localhost/a.png',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://printer/a.png',
  'http://user:password@example.org/a.png',
  'https://127。0。0。1/a.png',
  'file:///etc/passwd',
  'gopher://example.org/',
  'ftp://example.org/a.png',
  'javascript:alert(1)',
  'data:text/html,<script>',
  '/a.png',
  '',
];

const accepted = [
  'https://example.org/a.png',
  'http://example.org:8080/a.png?b=c#d',
  'https://1.1.1.1/a.png',
  'https://172.32.0.1/a.png',
  'https://[2606:4700:4700::1111]/a.png',
  'https://bücher.example/a.png',
  'data:image/png;base64,aGk=',
  'DATA:IMAGE/PNG;BASE64,aGk=',
];

describe('The address of an image', () => {
  it.each(refused)('%s is refused', (url) => expect(isPublicImage(url)).toBe(false));
  it.each(accepted)('%s is passed on', (url) => expect(isPublicImage(url)).toBe(true));

  it('is looked at before a call is priced, and the refusal names the field', () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'http://169.254.169.254/' } },
    ];
    const parse = () => parseRequest(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }));
    expect(parse).toThrow(AppError);
    expect(parse).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'messages[0].content[1].image_url.url' }),
    );
  });
});
