import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { booleanColumn, idColumn, instantColumn } from '../../database/columns.js';

/** An operator who looks at an account as its customer sees it. The row goes with the view. */
@Entity('customer_view')
@Index('ix_customer_view_operator', ['operatorId'])
@Index('ix_customer_view_end', ['endsAtMs'])
export class CustomerViewEntity {
  @PrimaryColumn(idColumn) id!: string;
  @Column(idColumn) accountId!: string;
  @Column(idColumn) operatorId!: string;

  /** The only session that the view is worth anything with. */
  @Column(idColumn) operatorSessionId!: string;

  /** Whether the customer is told of it. */
  @Column(booleanColumn) isTold!: boolean;

  @Column(instantColumn) endsAtMs!: number;
}
