// The first that fits: Edge and Opera call themselves Chrome as well, and Chrome calls itself Safari.
const programs: readonly (readonly [RegExp, string])[] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, 'iOS'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux|X11/, 'Linux'],
];

/** What a program calls itself, as people call it: `Firefox on Linux`; its first word where nobody knows it. */
export function browserName(userAgent: string | null | undefined): string {
  if (!userAgent) return 'Unknown program';
  const find = (known: typeof programs) => known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const program = find(programs) ?? userAgent.split(/[\s/]/)[0] ?? userAgent;
  const system = find(systems);
  return system ? `${program} on ${system}` : program;
}
