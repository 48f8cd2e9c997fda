import { Badge, Button, Table } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteAdminApiKeyApiKeyId, getAdminApiKey } from '../../../src/client/operations.ts'
import type { ApiKeyDescriptor } from '../../../src/client/schemas.ts'
import { api } from '../api.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { Failure, Waiting } from '../parts/states.tsx'
import { TableFrame } from '../parts/table-frame.tsx'
import { Time } from '../parts/text.tsx'
import { NewKey } from './new-key.tsx'

const keysQuery = {
  queryKey: ['keys'],
  queryFn: ({ signal }: { signal: AbortSignal }) => getAdminApiKey(api, { signal }),
}

export function Keys({ isAdministrator }: { isAdministrator: boolean }) {
  const [isMaking, setMaking] = useState(false)
  const [doomed, setDoomed] = useState<ApiKeyDescriptor | null>(null)
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
        <p className="section-note dimmed small">Administrators make keys. Yours may push documents already.</p>
      )}
      {keys.isError && <Failure error={keys.error} retry={() => void keys.refetch()} />}
      {isAdministrator && keys.isPending && <Waiting lines={3} />}
      {keys.data?.length === 0 && (
        <p className="section-note dimmed small">
          None yet. Give every program a key of its own: then each can be taken away alone.
        </p>
      )}
      {keys.data !== undefined && keys.data.length > 0 && <KeyTable keys={keys.data} onDelete={setDoomed} />}
      {isMaking && <NewKey onClose={() => setMaking(false)} />}
      {doomed !== null && <DeleteKey doomed={doomed} onClose={() => setDoomed(null)} />}
    </section>
  )
}

const nameOf = ({ api_key_name, api_key_id }: ApiKeyDescriptor) => api_key_name ?? `Key ${api_key_id}`

const mayText = ({ api_key_role, scopes }: ApiKeyDescriptor) =>
  scopes === null ? `everything of a ${api_key_role} key` : scopes.join(', ')

const isOver = ({ expires_at }: ApiKeyDescriptor) => expires_at !== null && Date.parse(expires_at) <= Date.now()

interface TableProps {
  keys: readonly ApiKeyDescriptor[]
  onDelete: (key: ApiKeyDescriptor) => void
}

const KeyTable = ({ keys, onDelete }: TableProps) => (
  <TableFrame label="Keys">
    <Table verticalSpacing="sm" horizontalSpacing="md">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Key</Table.Th>
          <Table.Th>May</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>Ends</Table.Th>
          <Table.Th>
            <span className="sr-only">Actions</span>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((it) => (
          <Table.Tr key={it.api_key_id}>
            <Table.Td className="key-name">{nameOf(it)}</Table.Td>
            <Table.Td className="nowrap">
              <code>{it.api_key_display}</code>
            </Table.Td>
            <Table.Td>{mayText(it)}</Table.Td>
            <Table.Td className="nowrap">
              <Time at={it.last_used_at} />
            </Table.Td>
            <Table.Td className="nowrap">
              {isOver(it) ? (
                <Badge color="red" variant="light" tt="none">
                  Expired
                </Badge>
              ) : (
                <Time at={it.expires_at} />
              )}
            </Table.Td>
            <Table.Td className="number">
              <Button
                variant="subtle"
                color="red"
                size="compact-sm"
                c="var(--mantine-color-error)"
                leftSection={<Icon name="trash" size={15} />}
                aria-label={`Delete ${nameOf(it)}`}
                onClick={() => onDelete(it)}
              >
                Delete
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </TableFrame>
)

function DeleteKey({ doomed, onClose }: { doomed: ApiKeyDescriptor; onClose: () => void }) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => deleteAdminApiKeyApiKeyId(api, { api_key_id: doomed.api_key_id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keysQuery.queryKey })
      onClose()
    },
  })
  return (
    <Dialog title={`Delete ${nameOf(doomed)}?`} onClose={onClose}>
      <p>
        Programs that use <code>{doomed.api_key_display}</code> are refused from the next request on. This cannot be
        undone.
      </p>
      {remove.isError && <Failure error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          Keep it
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete the key
        </Button>
      </div>
    </Dialog>
  )
}
