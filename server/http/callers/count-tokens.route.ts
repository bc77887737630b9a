import type { AuthenticatedKey } from '../../keys/authenticate-key.js';
import { estimateCall } from '../../proxy/metering/estimate-call.js';
import { countOrSample } from '../../proxy/metering/sampled-count.js';
import type { ProxyServices } from '../../proxy/proxy-call.js';
import { listPromptTexts } from '../../proxy/requests/prompt-texts.js';
import type { RequestParser } from '../../proxy/requests/request-parser.js';
import { withoutUnsentReasoning } from '../../proxy/sent-reasoning.js';
import type { BodyMemory } from '../calls/body-memory.js';
import { type ProxyExchange, sendJson } from '../calls/proxy-exchange.js';
import { readBody } from '../calls/read-body.js';

export interface CountTokensServices extends Pick<ProxyServices, 'catalogue' | 'tokenCounter'> {
  readonly bodyMemory: BodyMemory;
  readonly requestParser: RequestParser;
}

/**
 * `POST …/messages/count_tokens`: about how many tokens a Messages request has. Free, and nobody is asked: the text is counted
 * here, or a sample of it where others have too much counted, images at what they count at most.
 * @throws AppError as the call itself would for a faulty body or an unknown model.
 */
export async function answerCountTokens(
  exchange: ProxyExchange,
  { accountId }: AuthenticatedKey,
  { catalogue, tokenCounter, bodyMemory, requestParser }: CountTokensServices,
): Promise<void> {
  const room = bodyMemory.open(accountId);
  try {
    const { request } = await requestParser.parse(await readBody(exchange.request, room), { wire: 'messages' });
    const { imageTokensMax } = estimateCall(request, catalogue);
    const targets = catalogue.findModel(request.model)?.targets ?? [];
    const texts = listPromptTexts(withoutUnsentReasoning(request, targets));
    const [textTokens = 0] = await countOrSample([texts], tokenCounter);
    sendJson(exchange, { input_tokens: Math.max(1, textTokens + imageTokensMax) });
  } finally {
    room.release();
  }
}
