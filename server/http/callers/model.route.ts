import { AppError } from '../../kernel/app-error.js';
import { chatParams, neededCapabilities } from '../../providers/chat-request-shape.js';
import type { FoundModel, ModelCatalogue } from '../../providers/model-catalogue.js';
import { type ProxyExchange, sendJson } from '../calls/proxy-exchange.js';

/** `GET …/models`: OpenAI's list, each model with OpenRouter's extras beside OpenAI's fields; for Anthropic's clients theirs. */
export function answerModelList(exchange: ProxyExchange, catalogue: ModelCatalogue): void {
  if (exchange.request.headers['anthropic-version'] !== undefined) {
    sendJson(exchange, toAnthropicList(catalogue));
    return;
  }
  const data = catalogue.models.map((model) => toModelObject(model, model.id));
  // OpenRouter's client pages by `links`.
  sendJson(exchange, { object: 'list', data, total_count: data.length, links: { next: null } });
}

/**
 * `GET …/models/{id}`, whose id may hold a slash, encoded or not.
 * @throws AppError `model_not_found`.
 */
export function answerModel(exchange: ProxyExchange, catalogue: ModelCatalogue, encodedId: string): void {
  const id = decodeModel(encodedId);
  const model = catalogue.findModel(id);
  if (!model) {
    throw new AppError('model_not_found', `The model \`${encodedId.slice(0, 100)}\` does not exist.`, {
      param: 'model',
    });
  }
  sendJson(exchange, toModelObject(model, id));
}

// All of it at once: `limit` is an upper bound, and this list is short.
function toAnthropicList({ models }: ModelCatalogue): object {
  const writing = models.filter(({ embedding }) => embedding === undefined);
  const data = writing.map(({ id, contextTokens, maxOutputTokens }) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: new Date(createdMs(id)).toISOString(),
    max_input_tokens: contextTokens,
    max_tokens: maxOutputTokens,
  }));
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

/** The id of a model that stands in an address. One that cannot be read stays as it is, and names no model. */
export function decodeModel(encodedId: string): string {
  try {
    return decodeURIComponent(encodedId);
  } catch {
    return encodedId;
  }
}

function toModelObject(model: FoundModel, id: string): object {
  const dollarsPerToken = toDollars(model.millicreditsPerToken);
  const isOfVectors = model.embedding !== undefined;
  return {
    id,
    object: 'model',
    canonical_slug: model.id,
    created: createdMs(model.id) / 1_000,
    owned_by: model.targets[0]?.providerId ?? 'tollgate',
    name: model.isDemo ? `${model.id} (demo, no AI)` : model.id,
    context_length: model.contextTokens,
    architecture: {
      modality: `${model.imageTokensMax === null ? 'text' : 'text+image'}->${isOfVectors ? 'embeddings' : 'text'}`,
      input_modalities: model.imageTokensMax === null ? ['text'] : ['text', 'image'],
      output_modalities: [isOfVectors ? 'embeddings' : 'text'],
    },
    pricing: { prompt: dollarsPerToken, completion: isOfVectors ? '0' : dollarsPerToken, request: '0', image: '0' },
    top_provider: {
      context_length: model.contextTokens,
      max_completion_tokens: isOfVectors ? null : model.maxOutputTokens,
      is_moderated: false,
    },
    supported_parameters: listParameters(model),
    default_parameters: null,
    per_request_limits: null,
    supported_voices: null,
    links: { details: `/v1/models/${encodeURIComponent(model.id)}` },
    tier: model.tier,
    credits_per_1000_tokens: model.millicreditsPerToken,
    providers: model.targets.map(({ providerId }) => providerId),
  };
}

/** Since when a model is on offer, where its name has no date of its own. */
const offeredSinceMs = Date.UTC(2026, 0, 1);

function createdMs(id: string): number {
  const [, year, month, day] = /(20\d\d)-?([01]\d)-?([0-3]\d)$/.exec(id) ?? [];
  return year === undefined ? offeredSinceMs : Date.UTC(Number(year), Number(month) - 1, Number(day));
}

function listParameters({ capabilities, embedding }: FoundModel): readonly string[] {
  if (embedding !== undefined) return ['dimensions', 'encoding_format'];
  const params = chatParams.filter((param) => {
    const needed = neededCapabilities[param];
    return needed === undefined || capabilities[needed];
  });
  // OpenRouter's word for a `response_format` with a schema.
  const schemas = capabilities.jsonSchema ? ['structured_outputs'] : [];
  return ['max_tokens', 'max_completion_tokens', ...params, ...schemas];
}

// A million millicredits are a dollar. As text, the way OpenRouter writes prices.
function toDollars(millicredits: number): string {
  return `${Math.floor(millicredits / 1_000_000)}.${String(millicredits % 1_000_000).padStart(6, '0')}`;
}
