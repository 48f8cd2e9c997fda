// Removals by the directory that wait for a decision.
import { Button, Table } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { approveHeldRemoval, discardHeldRemoval } from '../../../../src/client/operations.ts'
import type { ScimHeldRemoval } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { heldRemovalsQuery } from './queries.ts'

export function HeldRemovals() {
  const t = textsOf('admin.scim.held')
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
      <h2 id="held-removals">{t('title')}</h2>
      {held.isError && <ErrorAlert error={held.error} retry={() => void held.refetch()} />}
      {decide.isError && <ErrorAlert error={decide.error} />}
      {held.isSuccess && removals.length === 0 && <p className="dimmed">{t('none')}</p>}
      {removals[0] !== undefined && (
        <>
          <p role="status">{removals[0].reason}</p>
          <TableFrame label={t('title')}>
            <Table verticalSpacing="sm" horizontalSpacing="md">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{t('person')}</Table.Th>
                  <Table.Th>{t('wish')}</Table.Th>
                  <Table.Th>{t('asked')}</Table.Th>
                  <Table.Th>{t('decision')}</Table.Th>
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

function HeldRow({ removal, isBusy, onDecide }: HeldRowProps) {
  const t = textsOf('admin.scim.held')
  const { email, name } = removal
  return (
    <Table.Tr>
      <Table.Td>
        <bdi>{name === null ? email : t('name_and_address', { name, email })}</bdi>
      </Table.Td>
      <Table.Td>{t(`kinds.${removal.kind}`)}</Table.Td>
      <Table.Td>
        <Time at={removal.asked_at} />
      </Table.Td>
      <Table.Td>
        <div className="row">
          <Button size="xs" disabled={isBusy} onClick={() => onDecide(true)} aria-label={t('approve_of', { email })}>
            {t('approve')}
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={isBusy}
            onClick={() => onDecide(false)}
            aria-label={t('discard_of', { email })}
          >
            {t('discard')}
          </Button>
        </div>
      </Table.Td>
    </Table.Tr>
  )
}
