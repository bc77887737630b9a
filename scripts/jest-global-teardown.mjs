import { stopServers } from './jest-global-setup.mjs';

export default stopServers;
