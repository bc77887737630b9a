import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Rules whose every fault is moderate or minor to axe, so that none would be told. They take a fifth of its time. A rule that a later axe
 * adds is asked.
 */
export const rulesNeverTold: readonly string[] = [
  'aria-allowed-role',
  'aria-deprecated-role',
  'empty-table-header',
  'form-field-multiple-labels',
  'heading-order',
  'html-xml-lang-mismatch',
  'image-redundant-alt',
  'landmark-banner-is-top-level',
  'landmark-contentinfo-is-top-level',
  'landmark-main-is-top-level',
  'landmark-no-duplicate-banner',
  'landmark-no-duplicate-contentinfo',
  'landmark-no-duplicate-main',
  'landmark-one-main',
  'landmark-unique',
  'meta-viewport-large',
  'no-autoplay-audio',
  'page-has-heading-one',
  'presentation-role-conflict',
  'region',
  'server-side-image-map',
  'skip-link',
  'table-duplicate-name',
];

const axeOptions: RunOptions = {
  rules: {
    ...Object.fromEntries(rulesNeverTold.map((rule) => [rule, { enabled: false }])),
    // The rules of WCAG 2.2, which axe leaves out unless asked.
    'target-size': { enabled: true },
  },
  // Of what is well, nobody wants to hear where it stands, which takes axe longer than finding out.
  resultTypes: ['violations'],
};

/** What is read of axe's answer; only this much is carried out of the page. */
interface AxeViolation {
  readonly impact: string | null;
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** How grave a fault is for axe where it is told. */
export const impactsTold: readonly (string | null)[] = ['serious', 'critical'];

/** Every serious or critical accessibility fault of the page by WCAG 2.2 AA and good practice, each as one sentence; our own policy stays in force. */
export async function listAccessibilityFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeSource);
  const violations = await page.evaluate(async (options): Promise<AxeViolation[]> => {
    const { axe } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: AxeViolation[] }> };
    };
    return (await axe.run(options)).violations;
  }, axeOptions as object);
  return violations
    .filter(({ impact }) => impactsTold.includes(impact))
    .flatMap(({ impact, id, help, nodes }) =>
      nodes.map((node) => `${impact}: ${id} (${help}) at ${node.target.join(' ')}: ${node.failureSummary}`),
    );
}

/** How many pixels the page is wider than its window; more than 0 means that a phone scrolls sideways. */
export function measureOverflowPx(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
