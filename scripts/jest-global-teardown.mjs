import { endTestRun } from './jest-global-setup.mjs';

export default endTestRun;
