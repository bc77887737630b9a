import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { OpenAIEmbeddings } from '@langchain/openai';
import { embedMany } from 'ai';
import OpenAI from 'openai';

/** What makes vectors of texts through each client, with its own defaults. */
export const embedders = { openai: embedWithOpenai, 'ai-sdk': embedWithAiSdk, langchain: embedWithLangchain };

async function embedWithOpenai({ baseUrl, apiKey, model, embeds }) {
  const client = new OpenAI({ baseURL: baseUrl, apiKey });
  const { data } = await client.embeddings.create({ model, input: embeds });
  return data.map(({ embedding }) => embedding);
}

async function embedWithAiSdk({ baseUrl, apiKey, model, embeds }) {
  const provider = createOpenAICompatible({ name: 'tollgate', baseURL: baseUrl, apiKey });
  const { embeddings } = await embedMany({ model: provider.textEmbeddingModel(model), values: embeds });
  return embeddings;
}

async function embedWithLangchain({ baseUrl, apiKey, model, embeds }) {
  const client = new OpenAIEmbeddings({ model, apiKey, configuration: { baseURL: baseUrl } });
  return client.embedDocuments(embeds);
}
