import { AppError } from '../kernel/app-error.js';
import { parseRequest } from '../proxy/requests/parse-request.js';
import { isPublicImage, listImageNames, refusePrivateImages } from './image-address.js';

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

/** What name servers in an operator's network may say. */
const zone: Readonly<Record<string, readonly string[]>> = {
  'pictures.example': ['203.0.113.80', '2606:4700::1111'],
  'vault.default.svc.cluster.local': ['10.96.0.17'],
  'consul.service.consul': ['192.168.1.4'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  '169.254.169.254.nip.io': ['169.254.169.254'],
  'metadata.google.internal': ['169.254.169.254'],
  'a.localhost': ['127.0.0.1', '::1'],
  'inside.example.com': ['10.0.0.7'],
  'split.example': ['203.0.113.80', '10.0.0.7'],
  'six.example': ['203.0.113.80', 'fd00::7'],
  'mapped.example': ['::ffff:203.0.113.80'],
};

const messagesWith = (...urls: readonly string[]) => [
  { role: 'user' as const, content: 'Hi' },
  { role: 'user' as const, content: urls.map((url) => ({ type: 'image_url' as const, image_url: { url } })) },
];

async function refusalOf(...urls: readonly string[]): Promise<unknown> {
  const lookUp = async (name: string) => {
    if (name.startsWith('slow.')) throw new Error('ETIMEOUT');
    return zone[name] ?? [];
  };
  const names = listImageNames({ messages: messagesWith(...urls) });
  return refusePrivateImages(names, lookUp).then(
    () => null,
    (error: unknown) => error,
  );
}

describe('The name of an image’s host', () => {
  it.each([
    'http://vault.default.svc.cluster.local/',
    'http://vault.default.svc:8200/v1/sys/health',
    'http://kubernetes.default/api',
    'http://consul.service.consul:8500/',
    'http://127.0.0.1.nip.io:8200/v1/sys',
    'http://127.0.0.1.NIP.io.:8200/v1/sys',
    'http://169.254.169.254.nip.io/latest/meta-data',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://a.localhost/a.png',
    'https://inside.example.com/a.png',
    'https://split.example/a.png',
    'https://six.example/a.png',
    'https://mapped.example/a.png',
    'https://nobody.example/a.png',
    'https://slow.example/a.png',
  ])('in %s is refused, in words that tell nothing of the network', async (url) => {
    expect(await refusalOf('https://pictures.example/a.png', url)).toMatchObject({
      code: 'invalid_value',
      param: 'messages[1].content[1].image_url.url',
      message:
        "Invalid 'messages[1].content[1].image_url.url': its host must be found at public addresses, and at no other. Send the image as data (data:image/…).",
    });
  });

  it.each(['https://nobody.example.org/a.png', 'https://SLOW.example.com./a.png'])(
    'in %s is let through although no name server tells of it, since it is a name of the internet',
    async (url) => expect(await refusalOf(url)).toBeNull(),
  );

  it('is let through where all its addresses are public', async () => {
    expect(
      await refusalOf('https://pictures.example/a.png', 'data:image/png;base64,aGk=', 'https://1.1.1.1/'),
    ).toBeNull();
  });

  it('is looked up once for all its images, and not at all for data and IP addresses', () => {
    const urls = ['data:image/png;base64,aGk=', 'https://1.1.1.1/', 'https://[2606:4700::1111]/', 'http://a.example/1'];
    const messages = messagesWith(...urls, 'https://A.example.:8443/2', 'https://b.example/');
    expect([...listImageNames({ messages })]).toEqual([
      ['a.example', 'messages[1].content[3].image_url.url'],
      ['b.example', 'messages[1].content[5].image_url.url'],
    ]);
  });

  it('is looked up for 32 names of a request, and for none of a request with more', async () => {
    const named = (count: number) => Array.from({ length: count }, (_, at) => `https://host-${at}.example/a.png`);
    const asked: string[] = [];
    const lookUp = async (name: string) => {
      asked.push(name);
      return ['203.0.113.80'];
    };
    await refusePrivateImages(listImageNames({ messages: messagesWith(...named(32)) }), lookUp);
    expect(asked).toHaveLength(32);
    const beyond = expect.objectContaining({ param: 'messages[1].content[32].image_url.url' });
    expect(() => listImageNames({ messages: messagesWith(...named(33)) })).toThrow(beyond);
    expect(asked).toHaveLength(32);
  });

  it.each([
    ['https://example.org', '/a/', 1],
    ['https://example.org', '?', 1],
    ['HTTPS://Example.org:8443', '#', 1],
    ['http:\t//example.org', '/', 20],
    ['https:example.org', '/', 20],
  ])('is read once for all images behind %j%j, where nothing is left out of it', (place, path, readings) => {
    const addresses = Array.from({ length: 20 }, (_, index) => `${place}${path}${index}.png`);
    let count = 0;
    const RealUrl = URL;
    globalThis.URL = class extends RealUrl {
      constructor(address: string) {
        count += 1;
        super(address);
      }
    };
    const names = listImageNames({ messages: messagesWith(...addresses) });
    globalThis.URL = RealUrl;
    expect([...names.keys()]).toEqual(['example.org']);
    expect(count).toBe(readings);
  });

  it('is none of more than 32 hosts with their ports, none of which is read beyond', () => {
    const ports = Array.from({ length: 33 }, (_, index) => `https://example.org:${8000 + index}/a.png`);
    const beyond = expect.objectContaining({ param: 'messages[1].content[32].image_url.url' });
    expect(() => listImageNames({ messages: messagesWith(...ports) })).toThrow(beyond);
  });
});
