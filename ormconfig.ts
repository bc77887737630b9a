import { loadConfig } from './server/config/config.js';
import { createDataSource } from './server/database/data-source.js';
import { entities, migrations } from './server/entities.js';

/** What TypeORM's command line works on. It wants exactly one export. */
export default createDataSource(loadConfig(process.env).database, { entities, migrations });
