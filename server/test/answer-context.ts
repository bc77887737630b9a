import type { AnswerContext } from '../providers/provider-adapter.js';

/** The call that a provider answers, where a test minds nothing but the answer. */
export const answerContext: AnswerContext = {
  providerId: 'acme',
  publicModel: 'public-name',
  answerId: 'call_1',
  createdSeconds: 99,
};
