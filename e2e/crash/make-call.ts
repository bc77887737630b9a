import { type Agent, type IncomingMessage, request } from 'node:http';

/** What a caller asks for. The fake upstream answers `tokens` pieces, one every `delayMs`. */
export interface WantedCall {
  readonly model: keyof typeof millicreditsPerToken;
  readonly isStreamed: boolean;
  readonly tokens: number;
  readonly delayMs: number;
  /** Hang up after this many bytes of the answer; null: read it to its end. */
  readonly leaveAfterBytes: number | null;
}

export interface Caller {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly agent: Agent;
}

/**
 * What the caller saw. `whole`: the answer up to its last byte, or `[DONE]`, so it is billed. `refused`: an error instead of
 * an answer, so it is free. `part`: anything less, or an error that says that nobody can tell what is billed.
 */
export type Outcome = 'whole' | 'refused' | 'part';

export interface SeenCall {
  readonly outcome: Outcome;
  /** null when not even the headers came. */
  readonly callId: string | null;
  /** The HTTP status; null as above. */
  readonly status: number | null;
  /** By the usage that was seen; 0 unless the outcome is `whole`. */
  readonly chargedMillicredits: number;
  /** Whether the server itself named the charge; it cannot while the database is away. */
  readonly wasPriceTold: boolean;
}

const millicreditsPerToken = { 'gpt-4o-mini': 1, 'gpt-4o': 2 } as const;

/** Makes one call and never throws for what servers and networks do. @throws when an answer contradicts itself. */
export async function makeCall(caller: Caller, wanted: WantedCall): Promise<SeenCall> {
  const { response, text, isComplete } = await send(caller, wanted);
  const callId = response?.headers['x-request-id']?.toString() ?? null;
  const status = response?.statusCode ?? null;
  const seen = (outcome: Outcome, chargedMillicredits = 0, wasPriceTold = false): SeenCall => ({
    outcome,
    callId,
    status,
    chargedMillicredits,
    wasPriceTold,
  });
  if (response === null || !isComplete) return seen('part');
  if (status !== 200) return seen(isInDoubt(text) ? 'part' : 'refused');
  const usage = wanted.isStreamed ? readStreamedUsage(text) : readPlainUsage(text, response);
  if (usage === null) return seen('part');
  const charged = usage.totalTokens * millicreditsPerToken[wanted.model];
  if (usage.credits !== null && Math.round(usage.credits * 1_000) !== charged) {
    throw new Error(`Call ${callId} used ${usage.totalTokens} tokens of ${wanted.model} and cost ${usage.credits}.`);
  }
  return seen('whole', charged, usage.credits !== null);
}

function isInDoubt(text: string): boolean {
  return text.includes('"settlement_in_doubt"');
}

interface SeenUsage {
  readonly totalTokens: number;
  readonly credits: number | null;
}

function readPlainUsage(text: string, { headers }: IncomingMessage): SeenUsage {
  const { usage } = JSON.parse(text) as { usage: { total_tokens: number } };
  const credits = headers['x-credits-charged'];
  return { totalTokens: usage.total_tokens, credits: credits === undefined ? null : Number(credits) };
}

/** @returns null unless the stream ended with `[DONE]`. */
function readStreamedUsage(text: string): SeenUsage | null {
  if (!text.endsWith('data: [DONE]\n\n')) return null;
  const events = text.split('\n\n').filter((event) => event.startsWith('data: {'));
  const last = JSON.parse(String(events.at(-1)).slice('data: '.length)) as {
    usage: { total_tokens: number; credits?: number };
  };
  return { totalTokens: last.usage.total_tokens, credits: last.usage.credits ?? null };
}

interface Received {
  readonly response: IncomingMessage | null;
  readonly text: string;
  /** Whether the connection carried the answer to its end. */
  readonly isComplete: boolean;
}

function send({ baseUrl, apiKey, agent }: Caller, wanted: WantedCall): Promise<Received> {
  const body = JSON.stringify({
    model: wanted.model,
    messages: [{ role: 'user', content: `@@tokens=${wanted.tokens} @@delay=${wanted.delayMs}` }],
    max_tokens: wanted.tokens,
    ...(wanted.isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
  return new Promise((resolve) => {
    const outgoing = request(`${baseUrl}/api/proxy.php/chat/completions`, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    outgoing.on('error', () => resolve({ response: null, text: '', isComplete: false }));
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (wanted.leaveAfterBytes !== null && text.length >= wanted.leaveAfterBytes) response.destroy();
      });
      response.on('error', () => {});
      response.on('close', () => resolve({ response, text, isComplete: response.complete }));
    });
    outgoing.end(body);
  });
}
