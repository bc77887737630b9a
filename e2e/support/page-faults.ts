import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const axeOptions: RunOptions = {
  // The rules of WCAG 2.2, which axe leaves out unless asked.
  rules: { 'target-size': { enabled: true } },
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
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ impact, id, help, nodes }) =>
      nodes.map((node) => `${impact}: ${id} (${help}) at ${node.target.join(' ')}: ${node.failureSummary}`),
    );
}

/** How many pixels the page is wider than its window; more than 0 means that a phone scrolls sideways. */
export function measureOverflowPx(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
