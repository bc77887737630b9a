import { entities, migrations } from './server/composition/entities.js';
import { loadConfig } from './server/config/config.js';
import { createDataSource } from './server/database/data-source.js';

/** What TypeORM's command line works on. It wants exactly one export. */
export default createDataSource(loadConfig(process.env).database, { entities, migrations });
