import type { ProviderContract } from '../provider-contract-case.js';
import { anthropicContract } from './anthropic-contract.js';
import { geminiContract } from './gemini-contract.js';
import { openAiCompatibleContract } from './openai-compatible-contract.js';

/** One row for each adapter. */
export const providerContracts: readonly ProviderContract[] = [
  openAiCompatibleContract,
  anthropicContract,
  geminiContract,
];
