// Removals by the directory that wait for a decision.
import { Button, Table } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { approveHeldRemoval, discardHeldRemoval } from '../../../../src/client/operations.ts'
import type { ScimHeldRemoval } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/text.tsx'
import { heldRemovalsQuery } from './queries.ts'

const KINDS = { suspend: 'suspend', delete: 'remove' }

export function HeldRemovals() {
  const held = useQuery(heldRemovalsQuery)
  const queryClient = useQueryClient()
  const decide = useMutation({
    mutationFn: async ({ removal_id, isApproved }: { removal_id: number; isApproved: boolean }) =>
      isApproved ? approveHeldRemoval(api, { removal_id }) : discardHeldRemoval(api, { removal_id }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['scim'] }),
  })
  const removals = held.data ?? []
  return (
    <section className="card card-pad stack" aria-labelledby="held-removals">
      <h2 id="held-removals">Removals that wait</h2>
      {held.isError && <ErrorAlert error={held.error} retry={() => void held.refetch()} />}
      {decide.isError && <ErrorAlert error={decide.error} />}
      {held.isSuccess && removals.length === 0 && <p className="dimmed">No removal waits for a decision.</p>}
      {removals[0] !== undefined && (
        <>
          <p role="status">{removals[0].reason}</p>
          <TableFrame label="Removals that wait">
            <Table verticalSpacing="sm" horizontalSpacing="md">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Person</Table.Th>
                  <Table.Th>The directory wants to</Table.Th>
                  <Table.Th>Asked</Table.Th>
                  <Table.Th>Decision</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {removals.map((it) => (
                  <HeldRow
                    key={it.id}
                    removal={it}
                    isBusy={decide.isPending}
                    onDecide={(isApproved) => decide.mutate({ removal_id: it.id, isApproved })}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </TableFrame>
        </>
      )}
    </section>
  )
}

interface HeldRowProps {
  removal: ScimHeldRemoval
  isBusy: boolean
  onDecide: (isApproved: boolean) => void
}

const HeldRow = ({ removal, isBusy, onDecide }: HeldRowProps) => (
  <Table.Tr>
    <Table.Td>{removal.name === null ? removal.email : `${removal.name} (${removal.email})`}</Table.Td>
    <Table.Td>{KINDS[removal.kind]}</Table.Td>
    <Table.Td>
      <Time at={removal.asked_at} />
    </Table.Td>
    <Table.Td>
      <div className="row">
        <Button
          size="xs"
          disabled={isBusy}
          onClick={() => onDecide(true)}
          aria-label={`Approve the removal of ${removal.email}`}
        >
          Approve
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isBusy}
          onClick={() => onDecide(false)}
          aria-label={`Discard the removal of ${removal.email}`}
        >
          Discard
        </Button>
      </div>
    </Table.Td>
  </Table.Tr>
)
