import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { buildCatalogue, type FoundModel } from '../../providers/model-catalogue.js';
import { findModelPage, isModelPath, listModelPaths } from './model-pages.js';
import { publicPages } from './public-pages.js';
import { createSiteFiles } from './site-files.js';

const { models } = buildCatalogue({ providers: {}, isDemoProviderOn: true });
const named = (id: string, changes: Partial<FoundModel> = {}) => ({ ...(models[0] as FoundModel), id, ...changes });
const find = (path: string, ...ids: string[]) => findModelPage(path, { models: ids.map((id) => named(id)) });

describe('the page of a model', () => {
  it('says in few letters what a million tokens cost, how long a prompt may be and who answers', () => {
    const model = named('gpt-test', {
      millicreditsPerToken: 2 as FoundModel['millicreditsPerToken'],
      contextTokens: 128_000,
    });
    expect(findModelPage('/models/gpt-test', { models: [model] })).toEqual({
      path: '/models/gpt-test',
      title: 'gpt-test: price and answer times · Tollgate',
      description:
        'gpt-test: $2.00 per million tokens, 128,000 tokens of context, by demo. Measured p50, p95 and uptime, and the code that calls it.',
    });
  });

  it.each(['a', 'claude-sonnet-4-5-20250929', 'm'.repeat(60), 'm'.repeat(100)])(
    'has no longer a title or description than is shown, of %s',
    (id) => {
      const page = find(`/models/${id}`, id);
      expect([page && page.title.length <= 60, page && page.description.length <= 160]).toEqual([true, true]);
      expect(page?.title).toContain(id.slice(0, 59));
    },
  );

  it.each([
    ['llama3:8b', '/models/llama3%3A8b'],
    ['org/model 1', '/models/org%2Fmodel%201'],
    ['50%', '/models/50%25'],
    ['ü?#&', '/models/%C3%BC%3F%23%26'],
  ])('of %s is at an address that means no other, and is found there', (id, path) => {
    expect(listModelPaths({ models: [named(id)] })).toEqual([path]);
    expect(find(path, 'other', id)?.path).toBe(path);
    expect(find(`${path}/`, 'other', id)?.path).toBe(path);
  });

  it('has one address, also where that was written with fewer signs', () => {
    expect(find('/models/llama3:8b', 'llama3:8b')?.path).toBe('/models/llama3%3A8b');
  });

  it('is not there of a model that is not offered, or of an address that cannot be read', () => {
    expect(find('/models/gone', 'other')).toBeNull();
    expect(find('/models/%E0%A4%A', 'other')).toBeNull();
    expect(find('/models/constructor', 'other')).toBeNull();
    const paths = ['/models', '/models/', '/models/a', '/models/a/', '/models/a/b', '/modelsa'];
    expect(paths.filter(isModelPath)).toEqual(['/models/a', '/models/a/']);
  });
});

describe('the sitemap', () => {
  it('lists each model that is offered when it is asked for, once, beside the other public pages', async () => {
    const catalogue = { models: models.slice(0, 1) };
    const server = createServer(express().use(createSiteFiles('https://gate.example', catalogue)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const list = async () => {
      const sitemap = await (await fetch(`http://127.0.0.1:${port}/sitemap.xml`)).text();
      return [...sitemap.matchAll(/<loc>https:\/\/gate\.example([^<]*)/g)].map(([, path]) => path);
    };
    const others = [...publicPages.map(({ path }) => path), '/docs'];
    expect(await list()).toEqual([...others, `/models/${models[0]?.id}`]);
    catalogue.models = [named('llama3:8b')];
    expect(await list()).toEqual([...others, '/models/llama3%3A8b']);
    await new Promise((resolve) => server.close(resolve));
  });
});
