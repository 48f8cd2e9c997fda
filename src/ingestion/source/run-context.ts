// Creates the connector context of a scheduled run. It records waits in the schedule and enforces the idle timeout.
import { type Connector, type ConnectorContext, SourceError } from '../../connectors/connector.ts'
import type { Database } from '../../store/database/database.ts'
import { type PairLease, type PairSchedule, updateUnderLease } from '../../store/sources/schedules.ts'
import {
  type ConnectorContextDeps,
  type ConnectorSource,
  createConnectorContext,
  type SyncRange,
} from './connector-context.ts'
import { hideSecrets } from './hide-secrets.ts'
import { createIdleTimeout, type IdleTimeoutDeps } from './idle-timeout.ts'

export interface RunContextDeps extends IdleTimeoutDeps {
  db: Database
  contextDeps: ConnectorContextDeps
  connectorOf: (source: string) => Connector | undefined
  /** Decrypts a credential. Called once for each run; the result is not cached. */
  openCredential: (id: number) => Promise<Pick<ConnectorSource, 'credential_json' | 'allowed_origins'>>
}

export interface RunContext {
  connector: Connector
  context: ConnectorContext
  /** Hides the credential of the run in a text. */
  hide: (text: string) => string
  /** Ends the iteration when nothing arrives within the idle timeout. */
  withIdleTimeout<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void>
}

type RunSchedule = Pick<PairSchedule, 'source' | 'connector_id' | 'connector_specific_config' | 'credential_id'>

export async function createRunContext(
  deps: RunContextDeps,
  { lease, signal }: { lease: PairLease; signal: AbortSignal },
  schedule: RunSchedule,
  { onWait, ...range }: Omit<SyncRange, 'signal'> & { onWait?: (reason: string) => void },
): Promise<RunContext> {
  const { db, connectorOf, openCredential } = deps
  const connector = connectorOf(schedule.source)
  if (connector === undefined) throw new SourceError('config', `Nothing here pulls from "${schedule.source}".`)
  const opened = await openCredential(schedule.credential_id)
  const source = {
    connector,
    source: schedule.source,
    connectorId: schedule.connector_id,
    connector_specific_config: JSON.parse(schedule.connector_specific_config),
    ...opened,
  }
  const idleTimeout = createIdleTimeout(deps, signal)
  const context = createConnectorContext(
    deps.contextDeps,
    source,
    { ...range, signal: idleTimeout.signal },
    (wait_reason, wait_until) => {
      idleTimeout.reset(wait_until)
      onWait?.(wait_reason)
      updateUnderLease(db, lease, { wait_reason, wait_until }).catch(() => {}) // The heartbeat reports the same error.
    },
  )
  return {
    connector,
    context: resettingOnCalls(context, idleTimeout.reset),
    hide: hideSecrets(opened.credential_json),
    withIdleTimeout: idleTimeout.watch,
  }
}

/** The start and the end of each call count as activity. */
function resettingOnCalls(context: ConnectorContext, reset: () => void): ConnectorContext {
  const watch =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      reset()
      try {
        return await method(...args)
      } finally {
        reset()
      }
    }
  return { ...context, fetch: watch(context.fetch), connect: watch(context.connect), extract: watch(context.extract) }
}
