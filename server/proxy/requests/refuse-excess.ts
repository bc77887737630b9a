import { AppError } from '../../kernel/app-error.js';
import { isJsonObject, type JsonBody } from '../../kernel/json-body.js';
import { JsonGauge } from '../../kernel/json-gauge.js';
import { itemsMax } from '../../providers/chat-request-shape.js';
import type { ChatRequest } from '../../providers/chat-types.js';
import { listPromptTexts } from './prompt-texts.js';
import { bodyLimits } from './received-body.js';

/** Of what a caller may fill in freely, which goes on as it came: schemas and the thinking of earlier answers. */
const freeValuesMax = 20_000;
/** Of one field of schemas as JSON. No provider takes as much. */
const schemaCharactersMax = 4 * 1024 * 1024;

/** As many as OpenAI takes in one text. */
const promptCharactersMax = 10 * 1024 * 1024;

/**
 * Refuses a body with more in one of its lists than is offered here, before anything walks over them. Knows the lists of both
 * forms of a body, that of chat completions and that of Responses.
 * @throws AppError `invalid_value`, naming the list.
 */
export function refuseExcess(body: JsonBody): void {
  refuseLongList(body.messages, 'messages', itemsMax.messages);
  refuseLongList(body.input, 'input', itemsMax.messages);
  refuseLongList(body.system, 'system', itemsMax.content);
  refuseLongList(body.tools, 'tools', itemsMax.tools);
  refuseLongList(body.functions, 'functions', itemsMax.tools);
  refuseLongList(body.stop, 'stop', itemsMax.stop);
  const { logit_bias: bias } = body;
  if (isJsonObject(bias) && Object.keys(bias).length > itemsMax.logit_bias) {
    throw tooMany('logit_bias', itemsMax.logit_bias, 'members');
  }
  refuseInItems(body.messages, 'messages');
  refuseInItems(body.input, 'input');
}

/**
 * Refuses schemas that are too long to be sent with a call, or that have too much in them. For bodies that are large enough to
 * hold such.
 * @throws AppError `invalid_value`, naming the field.
 */
export function refuseLongSchemas(body: JsonBody): void {
  let values = 0;
  for (const field of ['tools', 'functions', 'response_format', 'text', 'output_config', 'output_format'] as const) {
    if (typeof body[field] !== 'object') continue;
    const json = Buffer.from(JSON.stringify(body[field]));
    if (json.length > schemaCharactersMax) {
      const words = `Invalid '${field}': must be at most ${schemaCharactersMax.toLocaleString('en')} bytes of JSON.`;
      throw new AppError('invalid_value', words, { param: field });
    }
    values += countValues(json);
    if (values > freeValuesMax) throw tooMany(field, freeValuesMax, 'values, in all their levels together');
  }
  const details = listDetails(body.messages);
  values += countValues(Buffer.from(JSON.stringify(details)));
  if (values > freeValuesMax) throw tooMany('messages', freeValuesMax, 'values in reasoning_details');
}

/**
 * Refuses a prompt whose texts are longer than any model can read, which would only cost memory. For bodies that are large enough
 * to hold such.
 * @throws AppError `invalid_value`, naming the messages.
 */
export function refuseLongPrompt(request: Pick<ChatRequest, 'messages' | 'tools' | 'response_format'>): void {
  const characters = listPromptTexts(request).reduce((sum, text) => sum + text.length, 0);
  if (characters <= promptCharactersMax) return;
  const words = `Invalid 'messages': all texts of a prompt together must have at most ${promptCharactersMax.toLocaleString('en')} characters; no model takes more. Send fewer.`;
  throw new AppError('invalid_value', words, { param: 'messages' });
}

function countValues(json: Buffer): number {
  const gauge = new JsonGauge(bodyLimits);
  gauge.push(json);
  return gauge.values;
}

function listDetails(messages: unknown): unknown[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((item: unknown) =>
    isJsonObject(item) && Array.isArray(item.reasoning_details) ? item.reasoning_details : [],
  );
}

const listsOfItem = ['content', 'tool_calls', 'reasoning_details', 'output'] as const;

function refuseInItems(items: unknown, param: string): void {
  if (!Array.isArray(items)) return;
  items.forEach((item: unknown, index) => {
    if (!isJsonObject(item)) return;
    for (const field of listsOfItem) {
      const list = item[field];
      // The name is put together only for a refusal: every message of every call comes by here.
      if (Array.isArray(list) && list.length > itemsMax[field]) {
        throw tooMany(`${param}[${index}].${field}`, itemsMax[field], 'items');
      }
    }
  });
}

function refuseLongList(list: unknown, param: string, max: number): void {
  if (Array.isArray(list) && list.length > max) throw tooMany(param, max, 'items');
}

function tooMany(param: string, max: number, noun: string): AppError {
  const words = `Invalid '${param}': must have at most ${max.toLocaleString('en')} ${noun}. Send fewer.`;
  return new AppError('invalid_value', words, { param });
}
