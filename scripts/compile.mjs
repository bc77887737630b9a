import './check-node-version.mjs';
import { buildDashboard, compileServer } from './build.mjs';

/*
 * Compiles the server and the dashboard into `dist/` with the packages that are there, and installs none: the step of an image,
 * which lays its packages in a layer of its own. Everywhere else `npm run build` does both.
 */
await compileServer();
await buildDashboard();
