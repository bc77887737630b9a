/** What the load process is ordered to do. */
export interface Load {
  readonly url: string;
  /** Further servers, without a slash at the end: callers are spread over them and that of `url`. */
  readonly alsoAt?: readonly string[];
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How the last bytes of a whole answer read. */
  readonly endsWith: string;
  /** Bearer keys, taken in turn. */
  readonly secrets: readonly string[];
  readonly seconds: number;
  /** Closed loop: so many callers, each with its next call once the last one is done. */
  readonly callers?: number;
  /** Open loop: so many calls a second, come what may. */
  readonly perSecond?: number;
}

export interface LoadFigures {
  /** Whole answers with status 200. */
  readonly calls: number;
  readonly failures: number;
  readonly callsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly firstByteP50Ms: number;
  readonly loadCpuMicrosPerCall: number;
}
