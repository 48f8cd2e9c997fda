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
import { NewKey } from './new-key.tsx'

const keysQuery = {
  queryKey: ['keys'],
  queryFn: ({ signal }: { signal: AbortSignal }) => listApiKeys(api, { signal }),
}

export function ApiKeys({ isAdministrator }: { isAdministrator: boolean }) {
  const [isCreating, setMaking] = useState(false)
  const [keyToDelete, setKeyToDelete] = useState<ApiKeyDescriptor | null>(null)
  const keys = useQuery({ ...keysQuery, enabled: isAdministrator })
  return (
    <section className="card" aria-labelledby="keys">
      <div className="section-head">
        <h2 id="keys">Keys</h2>
        {isAdministrator && (
          <Button size="xs" leftSection={<Icon name="plus" size={15} />} onClick={() => setMaking(true)}>
            New key
          </Button>
        )}
      </div>
      {!isAdministrator && (
        <p className="section-note dimmed small">
          Only administrators create keys. Your key can already push documents.
        </p>
      )}
      {keys.isError && <ErrorAlert error={keys.error} retry={() => void keys.refetch()} />}
      {isAdministrator && keys.isPending && <LoadingSkeleton lines={3} />}
      {keys.data?.length === 0 && (
        <p className="section-note dimmed small">
          No keys yet. Create one per app so that you can revoke each separately.
        </p>
      )}
      {keys.data !== undefined && keys.data.length > 0 && <KeyTable keys={keys.data} onDelete={setKeyToDelete} />}
      {isCreating && <NewKey onClose={() => setMaking(false)} />}
      {keyToDelete !== null && <DeleteKey apiKey={keyToDelete} onClose={() => setKeyToDelete(null)} />}
    </section>
  )
}

const keyName = ({ api_key_name, api_key_id }: ApiKeyDescriptor) => api_key_name ?? `Key ${api_key_id}`

const permissionsText = ({ api_key_role, scopes }: ApiKeyDescriptor) =>
  scopes === null ? `all permissions of the role ${api_key_role}` : scopes.join(', ')

interface TableProps {
  keys: readonly ApiKeyDescriptor[]
  onDelete: (key: ApiKeyDescriptor) => void
}

const KeyTable = ({ keys, onDelete }: TableProps) => (
  <RecordTable
    label="Keys"
    rows={keys}
    keyOf={({ api_key_id }) => api_key_id}
    columns={[
      { label: 'Name', className: 'key-name', cell: keyName },
      { label: 'Key', className: 'nowrap', cell: ({ api_key_display }) => <code>{api_key_display}</code> },
      { label: 'Permissions', cell: permissionsText },
      { label: 'Last used', className: 'nowrap', cell: (it) => <Time at={it.last_used_at} /> },
      { label: 'Expires', className: 'nowrap', cell: (it) => <Expiry at={it.expires_at} /> },
    ]}
    action={(it) => <EndButton label="Delete" longLabel={`Delete ${keyName(it)}`} onClick={() => onDelete(it)} />}
  />
)

function DeleteKey({ apiKey, onClose }: { apiKey: ApiKeyDescriptor; onClose: () => void }) {
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteApiKey(api, { api_key_id: apiKey.api_key_id }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey })
      onClose()
    },
  })
  return (
    <Dialog title={`Delete ${keyName(apiKey)}?`} onClose={onClose}>
      <p>
        Apps that use <code>{apiKey.api_key_display}</code> stop working at once. This cannot be undone.
      </p>
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete key
        </Button>
      </div>
    </Dialog>
  )
}
