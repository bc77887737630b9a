import { isCompositionRoot } from './composition-roots.js';
import { folderOf, isTestCode, listImports, type SourceTree } from './source-tree.js';

/**
 * Folders of `server/` that know each other, by whatever way round: each step of a circle as one sentence. Types count as well, but
 * for those of the settings, which are open to everyone.
 */
export function findFolderCircles(tree: SourceTree): string[] {
  const steps = listSteps(tree);
  // Who knows nobody, or is known by nobody, is in no circle; nor is who is left so without those.
  let inCircles = steps;
  for (let size = -1; size !== inCircles.length; ) {
    size = inCircles.length;
    const knowing = new Set(inCircles.map(({ from }) => from));
    const known = new Set(inCircles.map(({ to }) => to));
    inCircles = inCircles.filter(({ from, to }) => knowing.has(to) && known.has(from));
  }
  return inCircles.map(({ from, to, path }) => `server/${from}/ knows server/${to}/, which knows it: ${path}.`);
}

interface Step {
  readonly from: string;
  readonly to: string;
  /** One file that takes it. */
  readonly path: string;
}

function listSteps(tree: SourceTree): Step[] {
  const steps = new Map<string, Step>();
  for (const [path, text] of tree) {
    const from = folderOf(path);
    if (from === '' || isTestCode(path) || isCompositionRoot(path.replace(/\.ts$/, ''))) continue;
    for (const { target, isTypeOnly } of listImports(path, text)) {
      const to = folderOf(target);
      if (to === 'config' && isTypeOnly) continue;
      if (to !== '' && to !== from) steps.set(`${from} ${to}`, { from, to, path });
    }
  }
  return [...steps.values()];
}
