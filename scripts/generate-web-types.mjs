import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { CodeFileLoader } from '@graphql-tools/code-file-loader';
import { loadDocuments } from '@graphql-tools/load';
import { buildASTSchema, parse } from 'graphql';
import { projectRoot } from './run-step.mjs';

/*
 * Writes `web/src/gql/`: the types of every GraphQL document of the dashboard, by the emitted schema. With `--watch` it does so
 * again whenever a document changes. GraphQL Code Generator's own command line brings two hundred packages for sources
 * that we do not have, and every first start would wait for them.
 */
const sourceFolder = join(projectRoot, 'web', 'src');
const schemaFile = join(projectRoot, 'schema.graphql');

/** Scalars not named here stay `unknown`. */
const config = {
  defaultScalarType: 'unknown',
  enumsAsTypes: true,
  scalars: { Count: 'number', Credits: 'number', DateTime: 'string' },
  strictScalars: true,
  useTypeImports: true,
};

async function generate() {
  const schema = parse(readFileSync(schemaFile, 'utf8'));
  const schemaAst = buildASTSchema(schema);
  // Not those of tests, which may ask a made-up server for what the schema does not have.
  const documents = await loadDocuments(['src/**/*.{ts,tsx}', '!src/gql/**', '!src/**/*.test.{ts,tsx}'], {
    cwd: join(projectRoot, 'web'),
    loaders: [new CodeFileLoader({ pluckConfig: { skipIndent: true } })],
    sort: true,
  });
  const outputs = await preset.buildGeneratesSection({
    baseOutputDir: 'src/gql/',
    presetConfig: { fragmentMasking: false },
    schema,
    schemaAst,
    documents,
    config,
    plugins: [],
    pluginMap: {},
  });
  for (const output of outputs) {
    const file = join(projectRoot, 'web', output.filename);
    const text = await codegen({ ...output, documents: output.documents ?? documents });
    // Vite reloads what is written, changed or not.
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Generates again a moment after each change, since an editor writes in several steps. What does not parse is told, and waited out. */
function generateOnChange() {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const again = () => generate().catch((error) => console.error(error instanceof Error ? error.message : error));
  const onChange = () => {
    clearTimeout(timer);
    timer = setTimeout(again, 200);
  };
  watch(sourceFolder, { recursive: true }, (_, name) => {
    if (!name?.startsWith('gql')) onChange();
  });
  watch(schemaFile, onChange);
}

await generate();
if (process.argv.includes('--watch')) generateOnChange();
