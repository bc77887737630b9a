/*
 * The addresses that speak as others do, for `GET /openapi.json`. Their bodies are documented by whoever made them; here stands
 * what differs.
 */

import { count, json, listOf, objectOf, ref, text } from './openapi-schemas.js';

const object = (description: string) => ({ type: 'object', description });
const model = { type: 'string', minLength: 1, maxLength: 256, description: 'A name of `GET /models`.' };
const refused = { description: 'Refused.', content: json(ref('Error')) };
const refusedByMessages = { description: 'Refused.', content: json(object('An error in Anthropic’s form.')) };

function bodyOf(description: string, required: readonly string[]) {
  return { required: true, content: json({ ...object(description), properties: { model }, required }) };
}

function billed(description: string) {
  const events = { 'text/event-stream': { schema: text } };
  return { description, content: { ...json(object('`usage.credits` is what it cost.')), ...events } };
}

const responsesOperation = {
  operationId: 'createResponse',
  summary: 'One call in the form of OpenAI’s Responses, plain or streamed. No response can be asked for later.',
  requestBody: bodyOf('https://platform.openai.com/docs/api-reference/responses/create', ['model', 'input']),
  responses: {
    200: billed(
      'The response, billed: JSON, or events that end with one of `response.completed`, `.incomplete`, `.failed`.',
    ),
    default: refused,
  },
} as const;

const messagesOperation = {
  operationId: 'createMessage',
  summary: 'One call in the form of Anthropic’s Messages, of any model, plain or streamed.',
  requestBody: bodyOf('https://platform.claude.com/docs/en/api/messages', ['model', 'messages']),
  responses: {
    200: billed('The message, billed: JSON, or events that end with `message_stop`.'),
    default: refusedByMessages,
  },
} as const;

const countTokensOperation = {
  operationId: 'countMessageTokens',
  summary: 'About how many tokens the prompt of a Messages request has. Free.',
  requestBody: bodyOf('A Messages request; `max_tokens` may be left out.', ['model', 'messages']),
  responses: {
    200: { description: 'The count.', content: json(objectOf({ input_tokens: { type: 'integer', minimum: 1 } })) },
    default: refusedByMessages,
  },
} as const;

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
  requestBody: { required: true, content: json(embeddingsRequest) },
  responses: {
    200: {
      description: 'The vectors in the order of the inputs, billed.',
      content: json(
        objectOf({
          id: text,
          object: { const: 'list' },
          model: text,
          data: listOf(
            objectOf({
              object: { const: 'embedding' },
              index: count,
              embedding: {
                anyOf: [listOf({ type: 'number' }), text],
                description: 'Numbers, or 32-bit floats, little-endian, in base64.',
              },
            }),
          ),
          usage: objectOf({ prompt_tokens: count, total_tokens: count, credits: { type: 'number' } }, [
            'prompt_tokens',
            'total_tokens',
          ]),
        }),
      ),
    },
    default: refused,
  },
} as const;

const completionsOperation = {
  operationId: 'createCompletion',
  summary: 'One call in OpenAI’s old form, text in and text out, plain or streamed.',
  requestBody: bodyOf('https://platform.openai.com/docs/api-reference/completions/create', ['model', 'prompt']),
  responses: {
    200: billed('The text, billed: JSON, or events that end with `data: [DONE]`.'),
    default: refused,
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
