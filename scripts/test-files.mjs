import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { projectRoot } from './run-step.mjs';

/** Where `tsc` writes to. Several people can work in one tree when each names a folder: TOLLGATE_OUT_DIR=.build/me */
export const outDir = process.env.TOLLGATE_OUT_DIR ?? 'dist';

/** The source of a test that Jest runs, seen from the project's folder, with forward slashes: `server/app.test.ts`. @param {string} path */
export function testFileOf(path) {
  const compiled = relative(join(projectRoot, outDir), path).split(sep).join('/');
  if (!compiled.startsWith('..')) return compiled.replace(/\.js$/, '.ts');
  return relative(projectRoot, path).split(sep).join('/');
}

/** What Jest runs for a test file. The dashboard's it transpiles by itself. @param {string} file as from `testFileOf` */
export function jestPathOf(file) {
  return file.startsWith('web/') ? join(projectRoot, file) : join(projectRoot, outDir, file.replace(/\.ts$/, '.js'));
}

/** Every test file of the project, sorted. @returns {string[]} */
export function listTestFiles() {
  const found = ['server', 'e2e', 'web/src'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path.split(sep).join('/')}`,
    ),
  );
  return found.filter((file) => /\.test\.tsx?$/.test(file) && !file.includes('/node_modules/')).sort();
}
