// Outbound requests, and the record of those that the egress policy refused.
import type { ServiceConfig } from '../../config.ts'
import type { Logger } from '../../domain/logger.ts'
import type { Egress } from '../../egress/egress.ts'
import { createRefusalLog, type RefusalLog } from '../../egress/policy/refusal-log.ts'
import type { Database } from '../../store/database/database.ts'
import { addEgressRefusals } from '../../store/settings/egress-refusals.ts'
import { egressOf } from '../implementations.ts'

export interface Outbound {
  egress: Egress
  refusals: RefusalLog
  close(): Promise<void>
}

interface OutboundDeps {
  db: Database
  logger: Logger
  now: () => number
  port: () => number
}

export function openOutbound(config: ServiceConfig, { db, logger, now, port }: OutboundDeps): Outbound {
  const refusals = createRefusalLog({ write: (batch) => addEgressRefusals(db, batch, now()), now, logger })
  const egress = egressOf(config, db, { port, refusals })
  return {
    egress,
    refusals,
    async close() {
      await egress.close()
      await refusals.flush()
    },
  }
}
