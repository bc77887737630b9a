import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';
import {
  coerceInputValue,
  isInputObjectType,
  isInputType,
  parse,
  specifiedRules,
  typeFromAST,
  validate,
} from 'graphql';
import { buildGraphqlSchema } from '../graphql-schema.js';
import { measureCost } from '../limits/query-cost.js';
import { queryLimits } from '../limits/query-limits.js';
import { resolverClasses } from '../resolvers.js';
import { createExample } from './example-operation.js';
import { createSchemaPage, createSchemaText, writeSchemaPage } from './schema-page.js';

const schema = buildGraphqlSchema(resolverClasses, new Map());
const page = writeSchemaPage(schema, 'https://tollgate.example');
const roots = [
  ['query', schema.getQueryType()],
  ['mutation', schema.getMutationType()],
  ['subscription', schema.getSubscriptionType()],
] as const;
const examples = roots.flatMap(([kind, type]) =>
  Object.values(type?.getFields() ?? {}).map((field) => ({ name: field.name, ...createExample(kind, field) })),
);

describe('the reference of the schema', () => {
  it.each(examples)('has an example of $name that the server accepts', ({ query, variables }) => {
    const document = parse(query, { maxTokens: 1_000 });
    expect(validate(schema, document, [...specifiedRules, ...queryLimits])).toEqual([]);
    const [operation] = document.definitions;
    if (operation?.kind !== 'OperationDefinition') throw new Error('An example is an operation.');
    for (const { variable, type } of operation.variableDefinitions ?? []) {
      const inputType = typeFromAST(schema, type as never);
      if (!isInputType(inputType)) throw new Error('A variable has an input type.');
      expect(() => coerceInputValue(variables[variable.name.value], inputType)).not.toThrow();
    }
    expect(measureCost({ operation, fragments: new Map(), variables })).toBeLessThan(6_000);
  });

  it('names and describes every type, field, argument and enum value', () => {
    const text = page.replaceAll(/<[^>]+>/g, '');
    for (const type of Object.values(schema.getTypeMap())) {
      if (type.name.startsWith('__')) continue;
      const fields = 'getFields' in type ? Object.values(type.getFields()) : [];
      for (const field of fields) {
        expect(page).toContain(field.name);
        const plain = String(field.description).replaceAll(/[`*]|\*\*/g, '');
        expect(text).toContain(
          plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
        );
        if (!isInputObjectType(type)) continue;
        expect(page).toContain(`id="${type.name}"`);
      }
    }
  });

  it('says what it is to whoever lists pages', () => {
    expect(page).toMatch(/<meta name="description" content="[^"]{50,160}">/);
  });

  it('links to nothing that is not there', () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    expect(targets.length).toBeGreaterThan(100);
    expect(targets.filter((target) => !ids.has(target))).toEqual([]);
  });

  it('runs no script and needs no style but the one that its policy names', async () => {
    expect(page).not.toMatch(/<script|\son\w+=|style="|javascript:/i);
    const [, style] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
    const server = express().get('/docs', createSchemaPage(schema, 'https://tollgate.example')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/docs`);
    server.close();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain('text/html');
    const hash = createHash('sha256').update(String(style)).digest('base64');
    expect(response.headers.get('content-security-policy')).toContain(
      `default-src 'none'; connect-src 'self'; style-src 'sha256-${hash}'`,
    );
    expect(await response.text()).toBe(page);
  });

  it('stands beside the schema as text, which is what schema.graphql says', async () => {
    expect(page).toContain('href="/schema.graphql"');
    const server = express().get('/schema.graphql', createSchemaText(schema)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/schema.graphql`);
    server.close();
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await response.text()).toBe(readFileSync('schema.graphql', 'utf8'));
  });
});
