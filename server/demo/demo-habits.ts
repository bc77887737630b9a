import { priceList } from '../pricing/price-list.js';

/** What one of the account's programs asks for, again and again. */
export interface Habit {
  readonly model: string;
  /** How often it is asked for, beside the others. */
  readonly weight: number;
  /** From which part of the time on, 0 to 1: teams change their models. */
  readonly since: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly tokensPerSecond: number;
  readonly keyNumber: number;
}

/** A small team. */
export const usualHabits: readonly Habit[] = [
  {
    model: 'gpt-4o-mini',
    weight: 40,
    since: 0,
    promptTokens: 1_900,
    completionTokens: 420,
    tokensPerSecond: 95,
    keyNumber: 0,
  },
  {
    model: 'gpt-4o',
    weight: 15,
    since: 0,
    promptTokens: 3_100,
    completionTokens: 640,
    tokensPerSecond: 70,
    keyNumber: 0,
  },
  {
    model: 'deepseek-chat',
    weight: 14,
    since: 0.2,
    promptTokens: 5_200,
    completionTokens: 900,
    tokensPerSecond: 42,
    keyNumber: 1,
  },
  {
    model: 'llama-3.3-70b',
    weight: 12,
    since: 0.35,
    promptTokens: 1_200,
    completionTokens: 380,
    tokensPerSecond: 260,
    keyNumber: 2,
  },
  {
    model: 'mistral-small',
    weight: 8,
    since: 0.1,
    promptTokens: 900,
    completionTokens: 260,
    tokensPerSecond: 120,
    keyNumber: 1,
  },
  {
    model: 'gpt-5',
    weight: 11,
    since: 0.6,
    promptTokens: 4_400,
    completionTokens: 1_700,
    tokensPerSecond: 60,
    keyNumber: 0,
  },
];

/** A company that has tried nearly everything on the price list: some models a great deal, most of them now and then. */
export function crowdedHabits(keyCount: number): readonly Habit[] {
  return priceList
    .filter(({ id, embedding }) => !id.startsWith('demo-') && embedding === undefined)
    .map(({ id }, index) => ({
      model: id,
      weight: 60 / (1 + ((index * 7) % 23)),
      since: (index % 5) * 0.12,
      promptTokens: 9_000 + ((index * 3_701) % 24_000),
      completionTokens: 400 + ((index * 613) % 2_400),
      tokensPerSecond: 40 + ((index * 37) % 220),
      keyNumber: index % keyCount,
    }));
}
