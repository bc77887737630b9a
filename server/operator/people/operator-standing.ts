import { IsNull } from 'typeorm';
import { Standing } from '../../database/standing.js';
import { AppError } from '../../kernel/app-error.js';
import { OperatorEntity } from './operator.entity.js';
import { OperatorSessionEntity } from './operator-session.entity.js';
import type { OperatorCaller } from './operator-sessions.js';
import { OperatorTokenEntity } from './operator-token.entity.js';

/** An operator who asks, by a session or a token, as they were let in. */
export function operatorStanding({ operatorId, role, sessionId, tokenName }: OperatorCaller): Standing {
  const isPerson = tokenName === undefined;
  const by = isPerson ? OperatorSessionEntity : OperatorTokenEntity;
  return new Standing({
    turn: operatorId,
    async hold(transaction) {
      await transaction.update(OperatorEntity, { id: operatorId }, { id: operatorId });
    },
    async findRefusal(transaction) {
      const operator = await transaction.findOneBy(OperatorEntity, { id: operatorId, disabledAtMs: IsNull() });
      // A token may have a smaller role than its operator.
      const isAsItWas = operator !== null && (!isPerson || operator.role === role);
      if (isAsItWas && (await transaction.existsBy(by, { id: sessionId, operatorId }))) return null;
      const words = 'You were signed out just now, or may do less. Nothing was done: sign in again at /operator.';
      return new AppError('unauthenticated', words);
    },
    row: {
      sql: `SELECT id FROM operator WHERE id = ? AND disabled_at_ms IS NULL ${isPerson ? 'AND role = ?' : ''}
            AND EXISTS (SELECT 1 FROM ${isPerson ? 'operator_session' : 'operator_token'} WHERE id = ? AND operator_id = ?)`,
      values: [operatorId, ...(isPerson ? [role] : []), sessionId, operatorId],
    },
  });
}
