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
import { textsOf } from '../../text/texts.ts'

const REFRESH_MS = 10_000
/** For public sources. */
const NO_CREDENTIAL = '0'

export function UnconnectedConnectors() {
  const t = textsOf('admin.connectors.unconnected')
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
        <h2 id="unconnected">{t('title')}</h2>
        <p className="dimmed small">{t('help')}</p>
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
  const t = textsOf('admin.connectors.unconnected')
  return (
    <li aria-label={label}>
      <div>
        <strong>
          <bdi>{label}</bdi>
        </strong>
        <div className="small dimmed">
          {t.rich('created', {
            source: sourceLabel(connector.source),
            time: () => <Time at={connector.time_created} />,
          })}
        </div>
      </div>
      <div>
        <ConnectForm connector={connector} label={label} />
      </div>
    </li>
  )
}

function ConnectForm({ connector: { id, source }, label }: { connector: ConnectorSnapshot; label: string }) {
  const t = textsOf('admin.connectors.unconnected')
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
          aria-label={t('credential_for', { connector: label })}
          value={credential}
          onChange={(event) => setCredential(event.currentTarget.value)}
          data={[
            { value: NO_CREDENTIAL, label: t('no_credential') },
            ...credentials
              .filter((it) => it.id !== 0)
              .map((it) => ({ value: String(it.id), label: it.name ?? t('unnamed', { id: String(it.id) }) })),
          ]}
        />
        <Button loading={connect.isPending} onClick={() => connect.mutate()}>
          {t('connect')}
        </Button>
        <Button
          variant="default"
          loading={remove.isPending}
          onClick={() => (isConfirmed ? remove.mutate() : setIsSure(true))}
          onBlur={() => setIsSure(false)}
        >
          {isConfirmed ? t('confirm') : t('delete')}
        </Button>
      </div>
      {error !== null && <ErrorAlert error={error} />}
    </>
  )
}
