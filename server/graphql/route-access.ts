import { type Access, builders, everybody, managers } from '../schema/access.js';

/** Who may ask what is no operation of the schema: files to download, and the calls of the playground. */
export const routeAccess: Readonly<Record<string, Access>> = {
  'GET /export/account.json': { keys: 'none', members: 'own account' },
  'GET /export/events.csv': { keys: 'none', members: managers },
  'GET /export/calls.csv': { keys: ['usage:read'], members: everybody },
  'GET /export/requests.csv': { keys: ['usage:read'], members: everybody },
  'GET /export/statement.csv': { keys: ['usage:read'], members: everybody },
  // The dashboard's own calls; scripts have keys for theirs.
  'POST /playground/chat/completions': { keys: 'none', members: builders },
  'POST /playground/estimate': { keys: 'none', members: builders },
};
