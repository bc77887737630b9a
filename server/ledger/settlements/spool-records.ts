import { crc32 } from 'node:zlib';
import { assertInvariant } from '../../kernel/assert.js';
import type { CallEnding, SettleInput } from '../ledger-types.js';

/** The room of one settlement on disk: a block of common file systems, so that writing one never touches its neighbours. */
export const slotBytes = 4_096;

const checksumLength = 8;
/** Checksum, space and the end of the line. */
const frameBytes = checksumLength + 2;
const textKeptMax = 64;

/** A settlement as it stands on disk. */
export interface KeptRecord {
  readonly keptAtMs: number;
  readonly input: SettleInput;
}

/**
 * A settlement that fits into one slot, whatever providers have put into it: without its list of attempts if need be, and then
 * with its texts cut. What is charged is never changed.
 */
export function fitSettlement(input: SettleInput): SettleInput {
  if (fits(input)) return input;
  const { attempts: _, ...ending } = input.ending;
  const withoutAttempts = { ...input, ending };
  if (fits(withoutAttempts)) return withoutAttempts;
  const facts = Object.entries(ending).filter(([, value]) => typeof value !== 'object' || value === null);
  const cut = facts.map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, textKeptMax) : value]);
  const shortened = { ...input, ending: Object.fromEntries(cut) as unknown as CallEnding };
  assertInvariant(fits(shortened), 'a settlement without its texts fits into a slot');
  return shortened;
}

/** The bytes of a slot. @throws when the settlement was not fitted before. */
export function encodeSlot(record: KeptRecord): Buffer {
  const line = toLine(record);
  const slot = Buffer.alloc(slotBytes);
  assertInvariant(Buffer.byteLength(line) <= slotBytes, 'a kept settlement fits into its slot');
  slot.write(line);
  return slot;
}

/** @returns what a slot holds; null: nothing, `damaged`: something that is no settlement any more. */
export function decodeSlot(slot: Buffer): KeptRecord | 'damaged' | null {
  if (slot[0] === 0) return null;
  const end = slot.indexOf(10);
  return (end === -1 ? null : readLine(slot.toString('utf8', 0, end))) ?? 'damaged';
}

/** Reads the whole lines of a spool of the former version up to the first damaged one, and tells how many bytes they take. */
export function parseSpool(text: string): { settlements: SettleInput[]; goodBytes: number; isDamaged: boolean } {
  const lines = text.split('\n');
  const tail = lines.pop();
  const settlements: SettleInput[] = [];
  let goodBytes = 0;
  for (const line of lines) {
    const json = line.slice(checksumLength + 1);
    if (line.slice(0, checksumLength) !== toChecksum(json)) return { settlements, goodBytes, isDamaged: true };
    settlements.push(JSON.parse(json) as SettleInput);
    goodBytes += Buffer.byteLength(line) + 1;
  }
  return { settlements, goodBytes, isDamaged: tail !== '' };
}

/** What the call has used, as it will be charged. */
export function tokensOf({ ending }: SettleInput): number {
  return ending.promptTokens + ending.completionTokens;
}

function fits(input: SettleInput): boolean {
  // The largest instant that a clock can tell.
  return Buffer.byteLength(JSON.stringify({ keptAtMs: 8.64e15, input })) + frameBytes <= slotBytes;
}

function toLine(record: KeptRecord): string {
  const json = JSON.stringify(record);
  return `${toChecksum(json)} ${json}\n`;
}

function readLine(line: string): KeptRecord | null {
  const json = line.slice(checksumLength + 1);
  return line.slice(0, checksumLength) === toChecksum(json) ? (JSON.parse(json) as KeptRecord) : null;
}

function toChecksum(json: string): string {
  return crc32(json).toString(16).padStart(checksumLength, '0');
}
