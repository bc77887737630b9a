import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ItemHolder, type KeptItems, keptCharactersMax } from '../../kept-items/kept-items.js';
import { Secret } from '../../kernel/secret.js';
import type { AuthenticatedKey } from '../../keys/authenticate-key.js';
import type { ParsedRequest } from '../../proxy/requests/parse-request.js';
import type { ReceivedBody } from '../../proxy/requests/received-body.js';
import type { AnswerWire } from '../../wires/answer-wire.js';
import {
  countAnswersNamedIn,
  type EarlierOutputs,
  mayHaveReferences,
  referredCharactersMax,
  writeOutput,
} from '../../wires/responses/item-references.js';
import { ResponsesAnswer } from '../../wires/responses/responses-answer.js';
import type { BodyRoom } from './body-memory.js';
import { type ProxyExchange, readCallerKey } from './proxy-exchange.js';

export interface KeptItemsService {
  /** null: nothing is kept. */
  readonly keptItems: KeptItems | null;
}

interface ReadBody {
  readonly received: ReceivedBody;
  readonly room: BodyRoom;
}

export interface ResolvableBody {
  readonly received: ReceivedBody;
  /** null: it refers to nothing. */
  readonly earlier: EarlierOutputs | null;
}

/** From here on a body with all that it refers to is parsed in a thread of its own, as a large one. */
const largeCharacters = 1024 * 1024;
/** An id may lie across the border of two blocks. */
const overlapCharacters = 64;

/**
 * Finds what a body of Responses refers to, as far as its caller may; any other body refers to nothing. Takes room for it.
 * @throws AppError as `BodyRoom.growTo`.
 */
export function findEarlierOutputs(
  exchange: ProxyExchange,
  key: AuthenticatedKey,
  body: ReadBody,
  services: KeptItemsService,
): ResolvableBody | Promise<ResolvableBody> {
  if (exchange.wire !== 'responses') return { received: body.received, earlier: null };
  return findReferredOutputs(exchange, key, body, services);
}

async function findReferredOutputs(
  exchange: ProxyExchange,
  { accountId }: AuthenticatedKey,
  { received, room }: ReadBody,
  { keptItems }: KeptItemsService,
): Promise<ResolvableBody> {
  const counts = await countAnswers(received);
  const holder = toHolder(exchange, accountId);
  if (counts.size === 0 || keptItems === null || holder === null) return { received, earlier: null };
  const earlier = await keptItems.find(holder, [...counts.keys()]);
  let characters = 0;
  for (const [answerId, json] of earlier) characters += json.length * (counts.get(answerId) ?? 0);
  // What is more than that is refused while it is put in.
  const taken = Math.min(characters, referredCharactersMax);
  room.growBy(taken);
  const isLarge = !received.isLarge && received.text.length + taken > largeCharacters;
  return { received: isLarge ? toLarge(received.text) : received, earlier };
}

/** What keeps the items of an answer, once its end was told; null: they are not to be kept. */
export function findOutputStore(
  exchange: ProxyExchange,
  { accountId }: AuthenticatedKey,
  { wire, parsed }: { readonly wire: AnswerWire; readonly parsed: ParsedRequest },
  { keptItems }: KeptItemsService,
): (() => Promise<void>) | null {
  const holder = toHolder(exchange, accountId);
  if (keptItems === null || holder === null || !parsed.responses?.isKept) return null;
  if (!(wire instanceof ResponsesAnswer)) return null;
  return async () => {
    const json = writeOutput(wire.output, keptCharactersMax);
    if (json !== null) await keptItems.keep(holder, wire.idPart, json);
  };
}

function toHolder(exchange: ProxyExchange, accountId: string): ItemHolder | null {
  const text = readCallerKey(exchange);
  return text === null ? null : { accountId, secret: new Secret(text) };
}

/** How often each answer is named in a body that has references at all. */
async function countAnswers(received: ReceivedBody): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  if (!received.isLarge) {
    if (mayHaveReferences(received.text)) countAnswersNamedIn(received.text, counts);
    return counts;
  }
  const blocks = received.blocks.map((block) => Buffer.from(block.buffer, block.byteOffset, block.byteLength));
  if (!blocks.some(mayHaveReferences)) return counts;
  let tail = '';
  for (const block of blocks) {
    // A name that is counted twice only takes more room.
    const text = tail + block.toString('latin1');
    countAnswersNamedIn(text, counts);
    tail = text.slice(-overlapCharacters);
    await nextTurn();
  }
  return counts;
}

// Its text stands for it where bodies are compared, so that needs no hash.
function toLarge(text: string): ReceivedBody {
  return { isLarge: true, blocks: [new Uint8Array(Buffer.from(text))], hash: '' };
}
