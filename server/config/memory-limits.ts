import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/** What this process, and all of its container, may use at most. */
export interface MemoryLimits {
  readonly heapBytes: number;
  /** null: there is no container, or it may use all that the machine has. */
  readonly containerBytes: number | null;
}

/** @returns the limits as they are in force, whoever has set them. */
export function readMemoryLimits(): MemoryLimits {
  const constrained = process.constrainedMemory();
  const isBound = constrained > 0 && constrained < totalmem();
  return { heapBytes: getHeapStatistics().heap_size_limit, containerBytes: isBound ? constrained : null };
}

/** Something that has less memory than the settings let it use, in megabytes, and what the operator can do about it. */
export interface MemoryShortage {
  readonly event: 'heap_small_for_bodies' | 'container_small_for_bodies';
  readonly fields: Readonly<Record<string, number | string>>;
}

const megabyte = 1024 * 1024;
/** A server that has just started and serves nobody has 60 MB of the heap, and 170 to 300 of its machine. */
const ownHeapMb = 100;
const ownProcessMb = 300;
const bodyMemoryMbMin = 80;

/**
 * Where bodies of `BODY_MEMORY_MB`, held once and not yet parsed, would already be more than a process or its container may use:
 * it would be killed for want of memory with every call that runs. What fits may still be too small at worst, which is ten times as much.
 */
export function listMemoryShortages(
  { bodyMemoryBytes, workers }: { readonly bodyMemoryBytes: number; readonly workers: number },
  limits: MemoryLimits,
): readonly MemoryShortage[] {
  const bodyMb = bodyMemoryBytes / megabyte;
  const shortages: MemoryShortage[] = [];
  const heapMb = toMegabytes(limits.heapBytes);
  const heapNeededMb = bodyMb + ownHeapMb;
  if (heapMb < heapNeededMb) {
    const fittingMb = heapMb - ownHeapMb;
    const orLess = fittingMb < bodyMemoryMbMin ? '' : `, or BODY_MEMORY_MB to ${fittingMb} or less`;
    const remedy = `Set NODE_OPTIONS=--max-old-space-size=${heapNeededMb}${orLess}.`;
    shortages.push({ event: 'heap_small_for_bodies', fields: { heapMb, neededMb: heapNeededMb, remedy } });
  }
  const neededMb = workers * (bodyMb + ownProcessMb);
  if (limits.containerBytes !== null && limits.containerBytes < neededMb * megabyte) {
    const lower = workers > 1 ? 'BODY_MEMORY_MB or WORKERS' : 'BODY_MEMORY_MB';
    const remedy = `Give the container ${neededMb} MB or more, or lower ${lower}.`;
    const containerMb = toMegabytes(limits.containerBytes);
    shortages.push({ event: 'container_small_for_bodies', fields: { containerMb, neededMb, remedy } });
  }
  return shortages;
}

function toMegabytes(bytes: number): number {
  return Math.floor(bytes / megabyte);
}
