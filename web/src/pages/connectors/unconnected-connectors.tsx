// Connectors without a credential. They read nothing, and no other list shows them.
import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  createCcPair,
  deleteConnector,
  listConnectorsByCredential,
  listCredentialsBySource,
} from '../../../../src/client/operations.ts'
import type { ConnectorSnapshot } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { pairLabel, sourceLabel, Time } from '../../parts/text.tsx'

const REFRESH_MS = 10_000
/** For public sources. */
const NO_CREDENTIAL = '0'

export function UnconnectedConnectors() {
  const { data = [] } = useQuery({
    queryKey: ['unconnected'],
    queryFn: ({ signal }) => listConnectorsByCredential(api, { signal }),
    refetchInterval: REFRESH_MS,
    select: (connectors) => connectors.filter((it) => it.credential_ids.length === 0),
  })
  if (data.length === 0) return null
  return (
    <section className="card source" aria-labelledby="unconnected">
      <header>
        <h2 id="unconnected">Not connected yet</h2>
        <p className="dimmed small">These connectors read nothing until you choose a credential.</p>
      </header>
      <ul className="unconnected">
        {data.map((it) => (
          <UnconnectedConnector key={it.id} connector={it} />
        ))}
      </ul>
    </section>
  )
}

function UnconnectedConnector({ connector }: { connector: ConnectorSnapshot }) {
  const label = pairLabel(connector)
  return (
    <li aria-label={label}>
      <div>
        <strong>{label}</strong>
        <div className="small dimmed">
          {sourceLabel(connector.source)} · created <Time at={connector.time_created} />
        </div>
      </div>
      <div>
        <ConnectForm connector={connector} label={label} />
      </div>
    </li>
  )
}

function ConnectForm({ connector: { id, source }, label }: { connector: ConnectorSnapshot; label: string }) {
  const queryClient = useQueryClient()
  const [credential, setCredential] = useState(NO_CREDENTIAL)
  const [isConfirmed, setIsSure] = useState(false)
  const { data: credentials = [] } = useQuery({
    queryKey: ['credentials', source],
    queryFn: ({ signal }) => listCredentialsBySource(api, { source, signal }),
  })
  const onSettled = () => queryClient.invalidateQueries()
  const connect = useMutation({
    mutationFn: () =>
      createCcPair(api, {
        connector_id: id,
        credential_id: Number(credential),
      }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: () => deleteConnector(api, { connector_id: id }),
    onSettled,
  })
  const error = connect.error ?? remove.error
  return (
    <>
      <div className="row">
        <NativeSelect
          aria-label={`Credential for ${label}`}
          value={credential}
          onChange={(event) => setCredential(event.currentTarget.value)}
          data={[
            { value: NO_CREDENTIAL, label: 'No credential (public source)' },
            ...credentials
              .filter((it) => it.id !== 0)
              .map((it) => ({ value: String(it.id), label: it.name ?? `Credential ${it.id}` })),
          ]}
        />
        <Button loading={connect.isPending} onClick={() => connect.mutate()}>
          Connect
        </Button>
        <Button
          variant="default"
          loading={remove.isPending}
          onClick={() => (isConfirmed ? remove.mutate() : setIsSure(true))}
          onBlur={() => setIsSure(false)}
        >
          {isConfirmed ? 'Confirm deletion' : 'Delete'}
        </Button>
      </div>
      <p className="small dimmed">
        To add a credential, use <a href="/docs#createCredential">POST /manage/credential</a>.
      </p>
      {error !== null && <ErrorAlert error={error} />}
    </>
  )
}
