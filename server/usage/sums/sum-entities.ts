import { UsageMarkEntity } from './usage-mark.entity.js';
import { UsagePackEntity } from './usage-pack.entity.js';
import { UsagePartEntity } from './usage-part.entity.js';
import { UsageSetEntity } from './usage-set.entity.js';

/** The tables of use that is summed beside the calls. */
export const sumEntities = [UsageMarkEntity, UsagePackEntity, UsagePartEntity, UsageSetEntity] as const;
