import { readFileSync } from 'node:fs';

/** Processor time so far, in microseconds, in steps of 10,000. */
export interface CpuReading {
  /** Of all threads, those that have ended as well. */
  readonly allMicros: number;
  /** Of the thread that runs the event loop. */
  readonly mainMicros: number;
}

/** Processor time of a process; zeros where there is no /proc, or no such process. */
export function readCpu(pid: number): CpuReading {
  return { allMicros: readStat(`/proc/${pid}/stat`), mainMicros: readStat(`/proc/${pid}/task/${pid}/stat`) };
}

/** Of several processes together. */
export function readCpuOf(pids: readonly number[]): CpuReading {
  const readings = pids.map(readCpu);
  const sum = (of: keyof CpuReading) => readings.reduce((total, reading) => total + reading[of], 0);
  return { allMicros: sum('allMicros'), mainMicros: sum('mainMicros') };
}

function readStat(file: string): number {
  try {
    const stat = readFileSync(file, 'utf8');
    // The second field is a name in parentheses that may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return 0;
  }
}

/** Memory of a process in kilobytes; 0 where there is no /proc. */
export function readMemoryKb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
