import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const iconSet = /@iconify-json[/\\]tabler[/\\]icons\.json$/;
const named = /\bdrawIcon\('([^']+)'/g;

/**
 * Leaves of the set of icons, which has six thousand, those that the dashboard names.
 *
 * @param namesFile Where it names each by `drawIcon('…')`. One that the set does not have fails the build.
 */
export function keepUsedIcons(namesFile: string): Plugin {
  return {
    name: 'keep-used-icons',
    apply: 'build',
    enforce: 'pre',
    load(id) {
      if (!iconSet.test(id)) return null;
      const { icons: all } = JSON.parse(readFileSync(id, 'utf8')) as { icons: Record<string, { body: string }> };
      const names = [...readFileSync(namesFile, 'utf8').matchAll(named)].map(([, name = '']) => name);
      const used = names.map((name) => {
        const icon = all[name];
        if (icon === undefined) throw new Error(`${namesFile}: Tabler has no icon "${name}".`);
        return [name, { body: icon.body }] as const;
      });
      return { code: JSON.stringify({ icons: Object.fromEntries(used) }), map: null };
    },
  };
}
