/*
 * The addresses that speak as others do, for `GET /openapi.json`. Their bodies are documented by whoever made them; here stands
 * what differs.
 */

const object = (description: string) => ({ type: 'object', description });
const json = (schema: object) => ({ 'application/json': { schema } });
const model = { type: 'string', minLength: 1, maxLength: 256, description: 'A name of `GET /models`.' };
const events = { 'text/event-stream': { schema: { type: 'string' } } };

const responsesOperation = {
  operationId: 'createResponse',
  summary: 'One call in the form of OpenAI’s Responses, plain or streamed. No response can be asked for later.',
  requestBody: {
    required: true,
    content: json({
      ...object('https://platform.openai.com/docs/api-reference/responses/create'),
      properties: { model },
      required: ['model', 'input'],
    }),
  },
  responses: {
    200: {
      description:
        'The response, billed: JSON, or events that end with one of `response.completed`, `.incomplete`, `.failed`.',
      content: { ...json(object('`usage.credits` is what it cost.')), ...events },
    },
    default: { description: 'Refused.', content: json({ $ref: '#/components/schemas/Error' }) },
  },
} as const;

const anthropicError = { description: 'Refused.', content: json(object('An error in Anthropic’s form.')) };

const messagesOperation = {
  operationId: 'createMessage',
  summary: 'One call in the form of Anthropic’s Messages, of any model, plain or streamed.',
  requestBody: {
    required: true,
    content: json({
      ...object('https://platform.claude.com/docs/en/api/messages'),
      properties: { model },
      required: ['model', 'messages'],
    }),
  },
  responses: {
    200: {
      description: 'The message, billed: JSON, or events that end with `message_stop`.',
      content: { ...json(object('`usage.credits` is what it cost.')), ...events },
    },
    default: anthropicError,
  },
} as const;

const countTokensOperation = {
  operationId: 'countMessageTokens',
  summary: 'About how many tokens the prompt of a Messages request has. Free.',
  requestBody: {
    required: true,
    content: json({
      ...object('A Messages request; `max_tokens` may be left out.'),
      properties: { model },
      required: ['model', 'messages'],
    }),
  },
  responses: {
    200: {
      description: 'The count.',
      content: json({
        type: 'object',
        properties: { input_tokens: { type: 'integer', minimum: 1 } },
        required: ['input_tokens'],
      }),
    },
    default: anthropicError,
  },
} as const;

const count = { type: 'integer', minimum: 0 };
const oneOrMany = (items: object) => ({ anyOf: [items, { type: 'array', items, minItems: 1, maxItems: 2_048 }] });

/** What `POST /embeddings` takes, and `POST /estimate` too. */
export const embeddingsRequest = {
  type: 'object',
  properties: {
    model: { ...model, description: 'A name of `GET /models` whose `output_modalities` are `embeddings`.' },
    input: {
      anyOf: [oneOrMany({ type: 'string', minLength: 1 }), oneOrMany({ type: 'array', items: count, minItems: 1 })],
      description: 'Texts, or ids of tokens in cl100k_base.',
    },
    dimensions: { type: ['integer', 'null'], minimum: 1 },
    encoding_format: { enum: ['float', 'base64', null], description: '`float` unless said otherwise.' },
    user: { type: ['string', 'null'], description: 'Left out.' },
  },
  required: ['model', 'input'],
} as const;

const embeddingsOperation = {
  operationId: 'createEmbeddings',
  summary: 'Vectors of texts. Only the tokens of the texts are billed.',
  requestBody: {
    required: true,
    content: json(embeddingsRequest),
  },
  responses: {
    200: {
      description: 'The vectors in the order of the inputs, billed.',
      content: json({
        type: 'object',
        properties: {
          object: { const: 'list' },
          model: { type: 'string' },
          data: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                object: { const: 'embedding' },
                index: count,
                embedding: {
                  anyOf: [{ type: 'array', items: { type: 'number' } }, { type: 'string' }],
                  description: 'Numbers, or 32-bit floats, little-endian, in base64.',
                },
              },
              required: ['object', 'index', 'embedding'],
            },
          },
          usage: {
            type: 'object',
            properties: { prompt_tokens: count, total_tokens: count, credits: { type: 'number' } },
            required: ['prompt_tokens', 'total_tokens'],
          },
        },
        required: ['object', 'model', 'data', 'usage'],
      }),
    },
    default: { description: 'Refused.', content: json({ $ref: '#/components/schemas/Error' }) },
  },
} as const;

const completionsOperation = {
  operationId: 'createCompletion',
  summary: 'One call in OpenAI’s old form, text in and text out, plain or streamed.',
  requestBody: {
    required: true,
    content: json({
      ...object('https://platform.openai.com/docs/api-reference/completions/create'),
      properties: { model },
      required: ['model', 'prompt'],
    }),
  },
  responses: {
    200: {
      description: 'The text, billed: JSON, or events that end with `data: [DONE]`.',
      content: { ...json(object('`usage.credits` is what it cost.')), ...events },
    },
    default: { description: 'Refused.', content: json({ $ref: '#/components/schemas/Error' }) },
  },
} as const;

/** Their paths. */
export const wirePaths = {
  '/completions': { post: completionsOperation },
  '/embeddings': { post: embeddingsOperation },
  '/responses': { post: responsesOperation },
  '/messages': { post: messagesOperation },
  '/messages/count_tokens': { post: countTokensOperation },
} as const;
