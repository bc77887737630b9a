import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(__dirname, '..');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
const clients = ['app/apollo-client.ts', 'app/operator-client.ts', 'test/render-page.tsx'];

describe('How pages ask', () => {
  it('is one policy, said by the clients and nowhere else', () => {
    const saying = files.filter((name) => readFileSync(join(folder, name), 'utf8').includes("'cache-and-network'"));
    expect(saying.filter((name) => !name.endsWith('fetch-policy.test.ts')).sort()).toEqual(clients);
  });
});
