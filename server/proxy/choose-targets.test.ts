import { Secret } from '../kernel/secret.js';
import { buildCatalogue, type FoundModel } from '../providers/model-catalogue.js';
import { chooseTargets, type TargetPreferences } from './choose-targets.js';

const on = { apiKey: new Secret('sk-ours'), baseUrl: null };
const { findModel } = buildCatalogue({
  providers: { groq: on, cerebras: on, together: on, openai: on },
  isDemoProviderOn: false,
});
const find = (name: string) => findModel(name) as FoundModel;
const nobodyWishes: TargetPreferences = { header: null, preferred: null };
const choose = (name: string, wishes: Partial<TargetPreferences> = {}) =>
  chooseTargets(find(name), { ...nobodyWishes, ...wishes }).map(({ providerId }) => providerId);

describe('chooseTargets', () => {
  it('takes the order of the price list when nobody wishes anything', () => {
    expect(choose('llama-3.3-70b')).toEqual(['groq', 'cerebras', 'together']);
  });

  it('puts the preferred provider first and keeps the others behind it', () => {
    expect(choose('llama-3.3-70b', { preferred: 'together' })).toEqual(['together', 'groq', 'cerebras']);
    expect(choose('llama-3.3-70b', { preferred: 'openai' })).toEqual(['groq', 'cerebras', 'together']);
  });

  it('leaves only the provider of the header, whatever is preferred', () => {
    expect(choose('llama-3.3-70b', { header: 'cerebras', preferred: 'together' })).toEqual(['cerebras']);
  });

  it('leaves only the pinned provider, whatever the header says', () => {
    expect(choose('groq/llama-3.3-70b', { header: 'cerebras', preferred: 'together' })).toEqual(['groq']);
  });

  it('refuses a header that names nobody of those who serve the model', () => {
    expect(() => choose('llama-3.3-70b', { header: 'openai' })).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'x-tollgate-provider' }),
    );
  });

  it('names who serves the model to whoever asked for another', () => {
    expect(() => choose('llama-3.3-70b', { header: 'openai' })).toThrow(/Those that do: groq, cerebras, together\./);
  });
});
