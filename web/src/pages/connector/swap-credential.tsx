// Gives a connector another credential of its source.
import { Button, NativeSelect } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { getCredential, listCredentialsBySource, swapCredential } from '../../../../src/client/operations.ts'
import type { CCPairFullInfo, CredentialSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { listText, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { credentialLabel } from '../add-connector/credential-choice.tsx'

interface SwapProps {
  pair: CCPairFullInfo
  onClose: () => void
}

export function SwapCredential({ pair, onClose }: SwapProps) {
  const t = textsOf('admin.connector.swap')
  const { source } = pair.connector
  const credentials = useQuery({
    queryKey: ['credentials', 'of', source],
    queryFn: ({ signal }) => listCredentialsBySource(api, { source, limit: 200, signal }),
    select: (all) => all.filter((it) => it.id !== 0 && it.id !== pair.credential.id),
  })
  return (
    <Dialog title={t('title')} onClose={onClose}>
      {credentials.isPending && <LoadingSkeleton lines={2} />}
      {credentials.isError && <ErrorAlert error={credentials.error} retry={() => void credentials.refetch()} />}
      {credentials.data?.length === 0 && (
        <>
          <p>{t.rich('none', { link: (text) => <AdminLink page="credentials">{text}</AdminLink> })}</p>
          <div className="dialog-buttons">
            <Button onClick={onClose}>{textsOf('parts')('close')}</Button>
          </div>
        </>
      )}
      {credentials.data?.[0] !== undefined && (
        <SwapForm pair={pair} credentials={credentials.data} first={credentials.data[0].id} onClose={onClose} />
      )}
    </Dialog>
  )
}

function SwapForm({
  pair,
  credentials,
  first,
  onClose,
}: SwapProps & { credentials: readonly CredentialSnapshot[]; first: number }) {
  const t = textsOf('admin.connector.swap')
  const [chosen, setChosen] = useState(first)
  const queryClient = useQueryClient()
  const swap = useMutation({
    mutationFn: () => swapCredential(api, { body: { new_credential_id: chosen, connector_id: pair.connector.id } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries()
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    swap.mutate()
  }
  return (
    <form className="stack" onSubmit={submit}>
      <p>{t('help')}</p>
      <NativeSelect
        label={t('credential')}
        value={String(chosen)}
        onChange={(event) => setChosen(Number(event.currentTarget.value))}
        data={credentials.map((it) => ({ value: String(it.id), label: credentialLabel(it) }))}
      />
      <ChosenCredential id={chosen} />
      {swap.isError && <ErrorAlert error={swap.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button type="submit" loading={swap.isPending}>
          {t('submit')}
        </Button>
      </div>
    </form>
  )
}

/** Credentials can have equal names: the owner, the age and the addresses tell them apart. */
function ChosenCredential({ id: credential_id }: { id: number }) {
  const t = textsOf('admin.connector.swap')
  const credential = useQuery({
    queryKey: ['credentials', 'one', credential_id],
    queryFn: ({ signal }) => getCredential(api, { credential_id, signal }),
  })
  if (credential.isError) return <ErrorAlert error={credential.error} />
  if (credential.data === undefined) return <LoadingSkeleton lines={2} />
  const { user_email, time_updated, allowed_origins } = credential.data
  return (
    <p className="small dimmed long-text">
      {t.rich('facts', {
        owner: () => <bdi>{user_email ?? t('nobody')}</bdi>,
        time: () => <Time at={time_updated} />,
      })}{' '}
      {allowed_origins.length > 0 && t.rich('addresses', { addresses: () => <bdi>{listText(allowed_origins)}</bdi> })}
    </p>
  )
}
