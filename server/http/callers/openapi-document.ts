import {
  creditsAnswer,
  json,
  keyAnswer,
  listOf,
  namedSchemas,
  objectOf,
  ref,
  type Schema,
  text,
} from './openapi-schemas.js';
import { embeddingsRequest, wirePaths } from './openapi-wires.js';

const failed = { description: 'Refused or failed, in OpenAI’s form.', content: json(ref('Error')) };

function operation(summary: string, answer: Schema, more: object = {}) {
  return { summary, responses: { 200: { description: 'Done.', content: json(answer) }, default: failed }, ...more };
}

const pathParameter = (name: string) => ({ name, in: 'path', required: true, schema: text });
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { ...text, maxLength: 255 },
  description:
    'The same key and body within 24 hours is answered again without being billed again; while the first attempt runs, its answer is waited for.',
};

const providerHeader = {
  name: 'x-tollgate-provider',
  in: 'header',
  schema: text,
  description: 'The provider that shall answer, and no other. A model of the form `provider/model` stands above it.',
};

const tagHeader = {
  name: 'x-tollgate-tag',
  in: 'header',
  schema: { ...text, pattern: '^[A-Za-z0-9._:-]{1,64}$' },
  description: 'Marks the call, for lists and reports. It stands above `metadata.tag` of the body.',
};

const chat = {
  summary: 'One chat completion, plain or streamed.',
  parameters: [idempotencyKey, providerHeader, tagHeader],
  requestBody: { required: true, content: json(ref('ChatRequest')) },
  responses: {
    200: {
      description: 'The answer, billed: JSON, or events that end with `data: [DONE]`.',
      content: { ...json(ref('ChatCompletion')), 'text/event-stream': { schema: text } },
    },
    default: failed,
  },
};

/** What `GET /openapi.json` answers: the proxy's addresses as OpenAPI 3.1. `docs/api.md` says the same in words. */
export const openapiDocument = {
  openapi: '3.1.0',
  info: {
    title: 'Tollgate',
    version: '1',
    description:
      'OpenAI’s chat completions and Responses and Anthropic’s Messages, billed in prepaid credits. Every address works below /v1, too.',
  },
  servers: [{ url: '/api/proxy.php' }],
  security: [{ bearer: [] }],
  paths: {
    '/': { post: { ...chat, operationId: 'createChatCompletionAtRoot' } },
    '/chat/completions': { post: { ...chat, operationId: 'createChatCompletion' } },
    ...wirePaths,
    '/models': {
      get: operation(
        'The models that can be called now.',
        objectOf({ object: { const: 'list' }, data: listOf(ref('Model')) }),
        {
          operationId: 'listModels',
          security: [],
        },
      ),
    },
    '/models/{id}': {
      get: operation('One model.', ref('Model'), {
        operationId: 'getModel',
        security: [],
        parameters: [pathParameter('id')],
      }),
    },
    '/credits': { get: operation('What was bought and used.', creditsAnswer, { operationId: 'getCredits' }) },
    '/key': { get: operation('The key that asks.', keyAnswer, { operationId: 'getKey' }) },
    '/calls/{id}': {
      get: operation('The receipt of one finished call.', ref('Receipt'), {
        operationId: 'getCall',
        parameters: [pathParameter('id')],
      }),
    },
    '/estimate': {
      post: operation('What a call would cost at most; nothing is sent or charged.', ref('Estimate'), {
        operationId: 'estimateCall',
        requestBody: {
          required: true,
          content: json({ anyOf: [ref('ChatRequest'), embeddingsRequest] }),
        },
      }),
    },
  },
  components: {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    schemas: namedSchemas,
  },
} as const;
