import { createRequire } from 'node:module';
import { impactsTold, rulesNeverTold } from './page-faults.js';

interface AxeRule {
  readonly id: string;
  readonly impact: string;
  readonly any: readonly string[];
  readonly all: readonly string[];
  readonly none: readonly string[];
}

const axe = createRequire(import.meta.url)('axe-core') as {
  readonly _audit: {
    readonly rules: readonly AxeRule[];
    readonly data: { readonly checks: Readonly<Record<string, { readonly impact: string }>> };
  };
};

/** What a fault that this rule finds may be called: by the rule, and by each of its checks. */
function listImpacts({ impact, any, all, none }: AxeRule): readonly (string | undefined)[] {
  return [impact, ...[...any, ...all, ...none].map((check) => axe._audit.data.checks[check]?.impact)];
}

describe('The rules that are not asked of a page', () => {
  it.each(rulesNeverTold)('%s finds nothing that axe calls serious or critical', (id) => {
    const rule = axe._audit.rules.find((one) => one.id === id);
    const impacts = rule === undefined ? [] : listImpacts(rule);
    expect(impacts.length).toBeGreaterThan(1);
    expect(impacts.filter((impact) => impact === undefined || impactsTold.includes(impact))).toEqual([]);
  });

  it('are known by what axe says of its rules, which calls contrast serious', () => {
    const contrast = axe._audit.rules.find(({ id }) => id === 'color-contrast') as AxeRule;
    expect(listImpacts(contrast)).toContain('serious');
  });
});
