import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** What this process, and all of its container, may use at most. */
export interface MemoryLimits {
  readonly heapBytes: number;
  /** null: there is no container, or it may use all that the machine has. */
  readonly containerBytes: number | null;
  /** All that the machine has. */
  readonly machineBytes: number;
}

/** @returns the limits as they are in force, whoever has set them. */
export function readMemoryLimits(): MemoryLimits {
  const constrained = process.constrainedMemory();
  const machineBytes = totalmem();
  const containerBytes = constrained > 0 && constrained < machineBytes ? constrained : null;
  return { heapBytes: getHeapStatistics().heap_size_limit, containerBytes, machineBytes };
}

const megabyte = 1024 * 1024;
/** A server that has just started and serves nobody has 60 MB of the heap, and 150 to 300 of its machine. */
const ownHeapMb = 100;
const ownProcessMb = 250;
/** What is held of bodies where there is memory enough, and where there is hardly any. */
const bodyMemoryMbMax = 256;
export const bodyMemoryMbMin = 8;
/** A body is held as bytes and as texts, in two threads, and what is done with is not thrown away at once. */
const memoryPerBodyByte = 6;
/** Of the heap of the thread that answers. */
const heapPerBodyByte = 2;

/** What decides how much of bodies a process may hold. */
export interface BodyMemorySettings {
  /** `BODY_MEMORY_MB` in bytes; null: it was not set. */
  readonly bodyMemoryBytes: number | null;
  readonly workers: number;
}

/**
 * How many bytes of bodies and answers this process may hold at once: what was set; else 256 MB, or less where heap, container or
 * machine are too small for so many, so that no number of them ends the process. At least 8 MB.
 */
export function chooseBodyMemoryBytes(
  { bodyMemoryBytes, workers }: BodyMemorySettings,
  { heapBytes, containerBytes, machineBytes }: MemoryLimits = readMemoryLimits(),
): number {
  if (bodyMemoryBytes !== null) return bodyMemoryBytes;
  const processMb = toMegabytes((containerBytes ?? machineBytes) / workers);
  const fittingMb = Math.min(
    (processMb - ownProcessMb) / memoryPerBodyByte,
    (toMegabytes(heapBytes) - ownHeapMb) / heapPerBodyByte,
  );
  return Math.min(bodyMemoryMbMax, Math.max(bodyMemoryMbMin, Math.floor(fittingMb))) * megabyte;
}

/** What the operator is told of memory, in megabytes, and what they can do about it. */
export interface MemoryShortage {
  readonly event: 'body_memory_lowered' | 'heap_small_for_bodies' | 'container_small_for_bodies';
  readonly fields: Readonly<Record<string, number | string>>;
}

/**
 * Where memory is short: where fewer bodies are held than usual because of it; and where bodies of `BODY_MEMORY_MB`, held once and not
 * yet parsed, would already be more than a process or its container may use, so that it would be killed with every call that runs.
 */
export function listMemoryShortages(settings: BodyMemorySettings, limits: MemoryLimits): readonly MemoryShortage[] {
  const { bodyMemoryBytes, workers } = settings;
  const bodyMb = toMegabytes(chooseBodyMemoryBytes(settings, limits));
  const shortages: MemoryShortage[] = [];
  const heapMb = toMegabytes(limits.heapBytes);
  const memoryMb = toMegabytes(limits.containerBytes ?? limits.machineBytes);
  if (bodyMemoryBytes === null && bodyMb < bodyMemoryMbMax) {
    const remedy = 'Give it more memory, or run fewer WORKERS, for more and larger bodies at once.';
    shortages.push({ event: 'body_memory_lowered', fields: { bodyMemoryMb: bodyMb, heapMb, memoryMb, remedy } });
  }
  const heapNeededMb = bodyMb + ownHeapMb;
  if (heapMb < heapNeededMb) {
    const fittingMb = heapMb - ownHeapMb;
    const orLess = fittingMb < bodyMemoryMbMin ? '' : `, or BODY_MEMORY_MB to ${fittingMb} or less`;
    const remedy = `Set NODE_OPTIONS=--max-old-space-size=${heapNeededMb}${orLess}.`;
    shortages.push({ event: 'heap_small_for_bodies', fields: { heapMb, neededMb: heapNeededMb, remedy } });
  }
  const neededMb = workers * (bodyMb + ownProcessMb);
  if (limits.containerBytes !== null && limits.containerBytes < neededMb * megabyte) {
    const lower = [...(bodyMb > bodyMemoryMbMin ? ['BODY_MEMORY_MB'] : []), ...(workers > 1 ? ['WORKERS'] : [])];
    const orLower = lower.length === 0 ? '' : `, or lower ${lower.join(' or ')}`;
    const remedy = `Give the container ${neededMb} MB or more${orLower}.`;
    const containerMb = toMegabytes(limits.containerBytes);
    shortages.push({ event: 'container_small_for_bodies', fields: { containerMb, neededMb, remedy } });
  }
  return shortages;
}

function toMegabytes(bytes: number): number {
  return Math.floor(bytes / megabyte);
}
