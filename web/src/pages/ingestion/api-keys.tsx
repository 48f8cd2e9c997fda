import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteApiKey, listApiKeys } from '../../../../src/client/operations.ts'
import type { ApiKeyDescriptor } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { EndButton, Expiry, RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { EditKey } from './edit-key.tsx'
import { keyName, permissionsText } from './key-kinds.ts'
import { NewKey } from './new-key.tsx'
import { RenewKey } from './renew-key.tsx'

const keysQuery = {
  queryKey: ['keys'],
  queryFn: ({ signal }: { signal: AbortSignal }) => listApiKeys(api, { signal }),
}

export function ApiKeys({ isAdministrator }: { isAdministrator: boolean }) {
  const t = textsOf('admin.ingestion.keys')
  const [isCreating, setMaking] = useState(false)
  const [opened, setOpened] = useState<Opened | null>(null)
  const close = () => setOpened(null)
  const keys = useQuery({ ...keysQuery, enabled: isAdministrator })
  return (
    <section className="card" aria-labelledby="keys">
      <div className="section-head">
        <h2 id="keys">{t('title')}</h2>
        {isAdministrator && (
          <Button size="xs" leftSection={<Icon name="plus" size={15} />} onClick={() => setMaking(true)}>
            {t('new')}
          </Button>
        )}
      </div>
      {!isAdministrator && <p className="section-note dimmed small">{t('only_administrators')}</p>}
      {keys.isError && <ErrorAlert error={keys.error} retry={() => void keys.refetch()} />}
      {isAdministrator && keys.isPending && <LoadingSkeleton lines={3} />}
      {keys.data?.length === 0 && <p className="section-note dimmed small">{t('empty')}</p>}
      {keys.data !== undefined && keys.data.length > 0 && <KeyTable keys={keys.data} onOpen={setOpened} />}
      {isCreating && <NewKey onClose={() => setMaking(false)} />}
      {opened?.dialog === 'edit' && <EditKey apiKey={opened.apiKey} onClose={close} />}
      {opened?.dialog === 'renew' && <RenewKey apiKey={opened.apiKey} onClose={close} />}
      {opened?.dialog === 'delete' && <DeleteKey apiKey={opened.apiKey} onClose={close} />}
    </section>
  )
}

interface Opened {
  dialog: 'edit' | 'renew' | 'delete'
  apiKey: ApiKeyDescriptor
}

interface TableProps {
  keys: readonly ApiKeyDescriptor[]
  onOpen: (opened: Opened) => void
}

function KeyTable({ keys, onOpen }: TableProps) {
  const t = textsOf('admin.ingestion.keys')
  const parts = textsOf('parts')
  return (
    <RecordTable
      label={t('title')}
      rows={keys}
      keyOf={({ api_key_id }) => api_key_id}
      columns={[
        { label: parts('name'), className: 'key-name', cell: (it) => <bdi>{keyName(it)}</bdi> },
        { label: parts('key'), className: 'nowrap', cell: ({ api_key_display }) => <code>{api_key_display}</code> },
        { label: parts('permissions'), cell: permissionsText },
        { label: t('last_used'), className: 'nowrap', cell: (it) => <Time at={it.last_used_at} /> },
        { label: parts('expires'), className: 'nowrap', cell: (it) => <Expiry at={it.expires_at} /> },
      ]}
      action={(apiKey) => <KeyActions apiKey={apiKey} onOpen={onOpen} />}
    />
  )
}

function KeyActions({ apiKey, onOpen }: { apiKey: ApiKeyDescriptor; onOpen: TableProps['onOpen'] }) {
  const t = textsOf('admin.ingestion.keys')
  const parts = textsOf('parts')
  const name = keyName(apiKey)
  return (
    <div className="row-actions">
      <Button
        variant="subtle"
        size="compact-sm"
        aria-label={t('edit_of', { name })}
        onClick={() => onOpen({ dialog: 'edit', apiKey })}
      >
        {parts('edit')}
      </Button>
      <Button
        variant="subtle"
        size="compact-sm"
        aria-label={t('renew_of', { name })}
        onClick={() => onOpen({ dialog: 'renew', apiKey })}
      >
        {t('renew')}
      </Button>
      <EndButton
        label={parts('delete')}
        longLabel={t('delete_of', { name })}
        onClick={() => onOpen({ dialog: 'delete', apiKey })}
      />
    </div>
  )
}

function DeleteKey({ apiKey, onClose }: { apiKey: ApiKeyDescriptor; onClose: () => void }) {
  const t = textsOf('admin.ingestion.keys')
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteApiKey(api, { api_key_id: apiKey.api_key_id }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey })
      onClose()
    },
  })
  return (
    <Dialog title={t('delete_title', { name: keyName(apiKey) })} onClose={onClose}>
      <p>{t.rich('delete_help', { key: () => <code>{apiKey.api_key_display}</code> })}</p>
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          {t('delete_key')}
        </Button>
      </div>
    </Dialog>
  )
}
