// A source as a run sees it: with its credential, with what it waits for written down, and with an end to the waiting.
import { type Connector, type Pull, SourceError } from '../connectors/connector.ts'
import type { Database } from '../store/database.ts'
import { type Lease, type Schedule, updateHeld } from '../store/pulling.ts'
import { openPull, type PullNeeds, type PullRange } from './open-pull.ts'
import { openPatience, type PatienceNeeds } from './patience.ts'

export interface RunPullNeeds extends PatienceNeeds {
  db: Database
  pull: PullNeeds
  connectorOf: (source: string) => Connector | undefined
  /** Opens the secret of a credential: asked once for each run, and kept nowhere. */
  openCredential: (id: number) => Promise<Record<string, unknown>>
}

export interface RunPull {
  connector: Connector
  pull: Pull
  /** What the connector gives, as long as something comes. */
  patiently<T>(items: AsyncGenerator<T, void>): AsyncGenerator<T, void>
}

type RunSchedule = Pick<Schedule, 'source' | 'connector_id' | 'connector_specific_config' | 'credential_id'>

export async function openRunPull(
  needs: RunPullNeeds,
  { lease, signal }: { lease: Lease; signal: AbortSignal },
  schedule: RunSchedule,
  range: Omit<PullRange, 'signal'>,
): Promise<RunPull> {
  const { db, connectorOf, openCredential } = needs
  const connector = connectorOf(schedule.source)
  if (connector === undefined) throw new SourceError('config', `Nothing here pulls from "${schedule.source}".`)
  const source = {
    connector,
    source: schedule.source,
    connectorId: schedule.connector_id,
    connector_specific_config: JSON.parse(schedule.connector_specific_config),
    credential_json: await openCredential(schedule.credential_id),
  }
  const patience = openPatience(needs, signal)
  const pull = openPull(needs.pull, source, { ...range, signal: patience.signal }, (wait_reason, wait_until) => {
    patience.renew(wait_until)
    updateHeld(db, lease, { wait_reason, wait_until }).catch(() => {}) // The heartbeat meets the same fault.
  })
  return { connector, pull: watched(pull, patience.renew), patiently: patience.of }
}

/** Each call, and its end, is something that comes. */
function watched(pull: Pull, renew: () => void): Pull {
  const watch =
    <A extends unknown[], R>(call: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      renew()
      try {
        return await call(...given)
      } finally {
        renew()
      }
    }
  return { ...pull, fetch: watch(pull.fetch), connect: watch(pull.connect), extract: watch(pull.extract) }
}
