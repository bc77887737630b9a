import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
} from 'graphql';
import { escapeHtml } from '../../kernel/texts/escape-html.js';
import { printGraphqlSchema } from '../graphql-schema.js';
import { createExample } from './example-operation.js';
import { schemaPageStyle } from './schema-page-style.js';

type RootKind = 'query' | 'mutation' | 'subscription';

const styleHash = createHash('sha256').update(schemaPageStyle).digest('base64');
const headers = {
  // Audits of a page read /robots.txt as the page may; without a script nothing else connects.
  'content-security-policy': `default-src 'none'; connect-src 'self'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=300',
};

/**
 * `GET /docs`: the GraphQL schema for people. Made once, from the schema itself, so that it cannot say anything else; for the
 * first who asks, since most starts serve nobody who does.
 */
export function createSchemaPage(schema: GraphQLSchema, publicUrl: string) {
  let page: string | null = null;
  return (_request: Request, response: Response): void => {
    page ??= writeSchemaPage(schema, publicUrl);
    response.set(headers).type('html').send(page);
  };
}

/** The schema for people and for programs. */
export function createSchemaRoutes(schema: GraphQLSchema, publicUrl: string) {
  return { docs: createSchemaPage(schema, publicUrl), schemaText: createSchemaText(schema) };
}

/** `GET /schema.graphql`: the schema as text, for code generators and editors, which ask without a session. */
export function createSchemaText(schema: GraphQLSchema) {
  let text: string | null = null;
  return (_request: Request, response: Response): void => {
    text ??= printGraphqlSchema(schema);
    response.set('cache-control', headers['cache-control']).set('x-content-type-options', 'nosniff');
    response.type('text/plain').send(text);
  };
}

/** The page as HTML: no script, one style, every type, field and argument with its description, every root field with an example. */
export function writeSchemaPage(schema: GraphQLSchema, publicUrl: string): string {
  const roots: [string, RootKind, GraphQLObjectType | null | undefined][] = [
    ['Queries', 'query', schema.getQueryType()],
    ['Mutations', 'mutation', schema.getMutationType()],
    ['Subscriptions', 'subscription', schema.getSubscriptionType()],
  ];
  const rootNames = new Set(roots.map(([, , type]) => type?.name));
  const types = Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !rootNames.has(type.name))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  const rootFields = ([, , type]: (typeof roots)[number]) => Object.values(type?.getFields() ?? {});
  const contents = roots.map(
    (root) =>
      `<h2>${root[0]}</h2><ul>${rootFields(root)
        .map(({ name }) => `<li><a href="#${root[1]}-${name}">${name}</a></li>`)
        .join('')}</ul>`,
  );
  const sections = roots.map(
    (root) =>
      `<section><h2>${root[0]}</h2>${rootFields(root)
        .map((field) => writeRootField(root[1], field))
        .join('')}</section>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Every query, mutation, subscription and type of Tollgate’s GraphQL API, with an example of each operation."><title>GraphQL reference · Tollgate</title><style>${schemaPageStyle}</style></head>
<body>${pageHeader}<nav aria-label="Contents">${contents.join('')}<h2>Types</h2><ul>${types
    .map(({ name }) => `<li><a href="#${name}">${name}</a></li>`)
    .join('')}</ul></nav>
<main><h1>GraphQL reference</h1><div class="introduction">${writeIntroduction(publicUrl)}</div>${sections.join('')}<section><h2>Types</h2>${types
    .map(writeType)
    .join('')}</section></main></body></html>
`;
}

const pageHeader =
  '<header><a href="/"><svg aria-hidden="true" width="30" height="30" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#064436"/><rect x="7" y="8" width="4" height="17" rx="1.5" fill="#f4f7f5"/><rect x="11" y="10" width="16" height="5" rx="2.5" fill="#f5b52e"/></svg>Tollgate</a><a href="/quickstart">Docs</a><a href="/openapi.json">OpenAPI</a><a href="/schema.graphql">Schema</a></header>';

function writeIntroduction(publicUrl: string): string {
  const sample = `curl ${publicUrl}/graphql \\
  -H "Content-Type: application/json" \\
  -H "Authorization: Bearer $TOLLGATE_SESSION" \\
  -d '{"query": "{ viewer { name balance { available } } }"}'`;
  const facts = [
    'Send a POST request with JSON to `/graphql`, and subscriptions to `/graphql/stream`, which answers with server-sent events, or to `/graphql` by WebSocket (`graphql-transport-ws`).',
    '`signIn` hands out a session token for scripts: send it as `Authorization: Bearer <sessionToken>`.',
    'An error has a stable `extensions.code`: `UNAUTHENTICATED`, `FORBIDDEN`, `NOT_FOUND`, `BAD_USER_INPUT` (with the `field`), `CONFLICT`, `RATE_LIMITED` (with `retryAfterSeconds`) or `INTERNAL`.',
    'Lists are read page by page: pass the `endCursor` of one page as `after` for the next, until `hasNextPage` is false.',
    'One mutation per request; at most 1,000 words and signs, 15 aliases, 8 levels, and 6,000 fields in the answer.',
    'Everything at once: `/export/calls.csv`, `/export/statement.csv` and `/export/account.json` are downloads with the same authorization.',
  ];
  return `<ul>${facts.map((fact) => `<li>${toHtml(fact)}</li>`).join('')}</ul><pre tabindex="0"><code>${escapeHtml(sample)}</code></pre><p>A click on an example selects it all. The schema as text: <a href="/schema.graphql">schema.graphql</a>; signed in, introspection answers it, too.</p>`;
}

function writeRootField(kind: RootKind, field: GraphQLField<unknown, unknown>): string {
  const { query, variables } = createExample(kind, field);
  const hasVariables = Object.keys(variables).length > 0;
  const values = hasVariables
    ? `<p>Variables</p><pre tabindex="0"><code>${escapeHtml(JSON.stringify(variables, null, 2))}</code></pre>`
    : '';
  return `<article id="${kind}-${field.name}"><h3>${field.name}: ${linkType(String(field.type))}</h3><p>${toHtml(field.description)}</p>${writeParts(field.args)}<details><summary>Example</summary><pre tabindex="0"><code>${escapeHtml(query)}</code></pre>${values}</details></article>`;
}

function writeType(type: GraphQLNamedType): string {
  const head = `<article id="${type.name}"><h3>${type.name} <small>${kindOf(type)}</small></h3><p>${toHtml(type.description)}</p>`;
  if (isEnumType(type)) return `${head}${writeParts(type.getValues())}</article>`;
  if (isObjectType(type) || isInputObjectType(type))
    return `${head}${writeParts(Object.values(type.getFields()))}</article>`;
  return `${head}</article>`;
}

interface Part {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly type?: unknown;
  readonly defaultValue?: unknown;
}

function writeParts(parts: readonly Part[]): string {
  if (parts.length === 0) return '';
  const rows = parts.map(({ name, type, defaultValue, description }) => {
    const shown = type === undefined ? '' : `: ${linkType(String(type))}`;
    const preset = defaultValue === undefined ? '' : ` <small>${escapeHtml(`= ${String(defaultValue)}`)}</small>`;
    return `<dt><code>${name}${shown}</code>${preset}</dt><dd>${toHtml(description)}</dd>`;
  });
  return `<dl>${rows.join('')}</dl>`;
}

function kindOf(type: GraphQLNamedType): string {
  if (isEnumType(type)) return 'one of these words';
  if (isInputObjectType(type)) return 'input';
  return isScalarType(type) ? 'value' : 'object';
}

function linkType(text: string): string {
  return escapeHtml(text).replace(/[A-Za-z]\w*/, (name) =>
    ['String', 'Int', 'Boolean', 'ID', 'Float'].includes(name) ? name : `<a href="#${name}">${name}</a>`,
  );
}

// Descriptions know two marks: `code` and **strong words**.
function toHtml(text: string | null | undefined): string {
  return escapeHtml(text ?? '')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
}
