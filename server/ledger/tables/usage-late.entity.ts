import { Entity, Index } from 'typeorm';
import { HourOfUse } from './usage-hour.entity.js';

/**
 * What was added to an hour of use after the time from which it may be summed over all accounts. Written beside `usage_hour`, in the
 * same transaction: an hour less this is what it was when it was summed.
 */
@Entity('usage_late')
@Index('ix_usage_late_time', ['hourMs'])
export class UsageLateEntity extends HourOfUse {}
