import { monotonicFactory } from 'ulid';
import { type PricedModel, priceList } from '../pricing/price-list.js';
import { type Habit, usualHabits } from './demo-habits.js';

/** One call of the demo account, as it would have come and gone. */
export interface DemoCall {
  readonly callId: string;
  readonly model: PricedModel;
  readonly provider: string;
  /** Which of the account's keys asked. */
  readonly keyNumber: number;
  readonly startedAtMs: number;
  readonly isStreamed: boolean;
  readonly outcome: 'completed' | 'interrupted' | 'abandoned' | 'failed';
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly firstByteMs: number;
  readonly totalMs: number;
}

export interface DemoTrafficPlan {
  /** The same seed, time and count make the same calls. */
  readonly seed: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** About how many calls. */
  readonly callCount: number;
  /** What is asked for, and how often; left out: what a small team asks for. */
  readonly habits?: readonly Habit[];
}

const hourMs = 3_600_000;
// Share of a working day's calls by hour of the day, in UTC.
const hourWeights = [1, 1, 1, 1, 1, 2, 4, 8, 13, 16, 17, 15, 12, 15, 17, 16, 13, 9, 6, 5, 4, 3, 2, 1];

/** The demo account's calls, oldest first: busier on working days and in office hours, growing over the months. */
export function* planDemoTraffic(plan: DemoTrafficPlan): Generator<DemoCall> {
  const random = createRandom(plan.seed);
  const nextUlid = monotonicFactory(random);
  const hours = listHours(plan, random);
  const weightOfAll = hours.reduce((sum, { weight }) => sum + weight, 0);
  for (const { startMs, weight } of hours) {
    const count = Math.floor((plan.callCount * weight) / weightOfAll + random());
    const times = Array.from({ length: count }, () => startMs + Math.floor(random() * hourMs)).sort((a, b) => a - b);
    for (const startedAtMs of times) {
      if (startedAtMs < plan.fromMs) continue;
      if (startedAtMs >= plan.toMs) return;
      const progress = (startedAtMs - plan.fromMs) / (plan.toMs - plan.fromMs);
      yield planCall(
        {
          startedAtMs,
          callId: `call_${nextUlid(startedAtMs)}`,
          habit: pickHabit(plan.habits ?? usualHabits, progress, random),
        },
        random,
      );
    }
  }
}

function listHours({ fromMs, toMs }: DemoTrafficPlan, random: () => number) {
  const hours: { startMs: number; weight: number }[] = [];
  let mood = 1;
  for (let startMs = fromMs - (fromMs % hourMs); startMs < toMs; startMs += hourMs) {
    const date = new Date(startMs);
    const hour = date.getUTCHours();
    if (hour === 0) mood = 0.65 + 0.7 * random();
    const isWeekend = date.getUTCDay() === 0 || date.getUTCDay() === 6;
    const growth = 0.35 + (startMs - fromMs) / (toMs - fromMs);
    hours.push({ startMs, weight: (hourWeights[hour] ?? 1) * mood * growth * (isWeekend ? 0.3 : 1) });
  }
  return hours;
}

function pickHabit(habits: readonly Habit[], progress: number, random: () => number): Habit {
  const possible = habits.filter(({ since }) => since <= progress);
  let rest = random() * possible.reduce((sum, { weight }) => sum + weight, 0);
  for (const habit of possible) {
    rest -= habit.weight;
    if (rest < 0) return habit;
  }
  return possible[0] as Habit;
}

function planCall(
  { startedAtMs, callId, habit }: { startedAtMs: number; callId: string; habit: Habit },
  random: () => number,
): DemoCall {
  const model = priceList.find(({ id }) => id === habit.model) as PricedModel;
  const outcome = pickOutcome(random());
  const spread = () => 0.25 + 1.9 * random() ** 2;
  const isWhole = outcome === 'completed';
  const promptTokens = outcome === 'failed' ? 0 : Math.round(habit.promptTokens * spread());
  const wanted = Math.round(habit.completionTokens * spread());
  const completionTokens = outcome === 'failed' ? 0 : Math.max(1, Math.round(isWhole ? wanted : wanted * random()));
  const firstByteMs = Math.round(180 + 500 * spread() + promptTokens / 20);
  return {
    callId,
    model,
    provider: (model.routes[0] ?? 'demo/').split('/')[0] ?? 'demo',
    keyNumber: random() < 0.85 ? habit.keyNumber : 0,
    startedAtMs,
    isStreamed: random() < 0.7,
    outcome,
    promptTokens,
    completionTokens,
    firstByteMs,
    totalMs: firstByteMs + Math.round((completionTokens / habit.tokensPerSecond) * 1_000),
  };
}

function pickOutcome(chance: number): DemoCall['outcome'] {
  if (chance < 0.012) return 'failed';
  if (chance < 0.018) return 'interrupted';
  return chance < 0.04 ? 'abandoned' : 'completed';
}

/** Numbers from 0 to 1 that look random and are the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
