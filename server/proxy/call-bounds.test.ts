import { Secret } from '../kernel/secret.js';
import { buildCatalogue, type FoundModel } from '../providers/model-catalogue.js';
import { readTollgateFile } from '../providers/settings/tollgate-file.js';
import { findCallBounds } from './call-bounds.js';
import { listPromptTexts } from './requests/prompt-texts.js';
import { withoutUnsentReasoning } from './sent-reasoning.js';

const { file } = readTollgateFile(
  `
models:
  m:
    tier: lower
    contextTokens: 100000
    maxOutputTokens: 1000
    images: { low: 10, high: 100 }
    routes: [openai/m, { to: groq/m, maxOutputTokens: 3000 }, { to: xai/m, maxOutputTokens: 500, images: { low: 5, high: 900 } }]`,
  {},
);
const on = { apiKey: new Secret('sk-ours'), baseUrl: null };
const { findModel } = buildCatalogue({
  providers: { openai: on, groq: on, xai: on },
  isDemoProviderOn: false,
  tollgateFile: file,
});
const model = findModel('m') as FoundModel;
const image = { type: 'image_url', image_url: { url: 'https://x.example/a.png', detail: 'high' } } as const;
const request = { model: 'm', messages: [{ role: 'user', content: [image] }] } as const;

describe('the bounds of a call that several routes may answer', () => {
  it('are those of the dearest of them', () => {
    const all = findCallBounds(request, model);
    const first = findCallBounds(request, model, model.targets.slice(0, 1));
    expect([first.wantedOutputTokens, all.wantedOutputTokens]).toEqual([1_000, 3_000]);
    expect(all.promptTokensMax - first.promptTokensMax).toBe(900 - 100);
    expect(findCallBounds({ ...request, max_completion_tokens: 2_000 }, model).wantedOutputTokens).toBe(2_000);
  });

  it('are those of the one route that is left', () => {
    const last = findCallBounds(request, model, model.targets.slice(2));
    expect(last.wantedOutputTokens).toBe(500);
  });
});

describe('the bounds of a call that brings the thinking of earlier answers back', () => {
  const asked = (thought?: string) =>
    ({ model: 'm', messages: [{ role: 'assistant', content: 'Hi', reasoning_content: thought }] }) as const;
  const sending = model.targets.map((target) =>
    target.kind === 'http'
      ? { ...target, adapter: { ...target.adapter, sentReasoning: () => ['reasoning_content'] as const } }
      : target,
  );
  const heldFor = (targets: FoundModel['targets']) =>
    findCallBounds(asked('x'.repeat(500)), model, targets).promptTokensMax -
    findCallBounds(asked(), model, targets).promptTokensMax;

  it('hold for it as for other text where one of the routes is sent it, and for nothing where none is', () => {
    expect(heldFor([...model.targets.slice(1), ...sending.slice(0, 1)])).toBe(500);
    expect(heldFor(model.targets)).toBe(0);
    const texts = listPromptTexts(withoutUnsentReasoning(asked('a thought'), sending));
    expect(texts).toEqual(['Hi', 'a thought']);
    expect(listPromptTexts(withoutUnsentReasoning(asked('a thought'), model.targets))).toEqual(['Hi']);
  });
});

describe('the bounds of a call for log probabilities', () => {
  const long = { ...model, maxOutputTokens: 16_384, contextTokens: 128_000 };
  const targets = model.targets.slice(0, 1);
  const ask = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], logprobs: true } as const;
  const boundsOf = (changes: object) => findCallBounds({ ...ask, ...changes }, long, targets);

  it('lower a cap that nobody set to what an answer in one piece may have', () => {
    expect(boundsOf({ top_logprobs: 20 })).toMatchObject({ wantedOutputTokens: 2_662, acceptedOutputTokens: 16 });
    expect(boundsOf({ top_logprobs: 20, n: 2 }).wantedOutputTokens).toBe(1_331);
    expect(boundsOf({}).wantedOutputTokens).toBe(16_384);
  });

  it('refuse a cap under which an honest answer could not be read, and name the remedy', () => {
    const refusal = { code: 'invalid_value', param: 'top_logprobs', message: expect.stringContaining('2662') };
    expect(() => boundsOf({ top_logprobs: 20, max_completion_tokens: 2_663 })).toThrow(
      expect.objectContaining(refusal),
    );
    expect(boundsOf({ top_logprobs: 20, max_completion_tokens: 2_662 }).wantedOutputTokens).toBe(2_662);
  });

  it('let a stream, and a model that gives none, have all that it asks for', () => {
    const asked = { top_logprobs: 20, max_completion_tokens: 16_000 };
    expect(boundsOf({ ...asked, stream: true }).wantedOutputTokens).toBe(16_000);
    const reasoning = targets.map((target) => ({ ...target, upstreamModel: 'gpt-5' }));
    expect(findCallBounds({ ...ask, ...asked }, long, reasoning).wantedOutputTokens).toBe(16_000);
  });
});
