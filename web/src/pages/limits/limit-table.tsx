import { Badge, Button, Progress, Table } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { updateLimit } from '../../../../src/client/operations.ts'
import type { UsageLimit, UsageOfLimit } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { formatCount } from '../../parts/text.tsx'
import { amountText, limitName, SCOPE_LABELS, SCOPE_NOTES, targetText } from './limit-text.ts'
import { useReloadLimits } from './limits-query.ts'

interface RowActions {
  onChange: (limit: UsageLimit) => void
  onDelete: (limit: UsageLimit) => void
}

interface TableProps extends RowActions {
  limits: readonly UsageLimit[]
  usages: readonly UsageOfLimit[] | undefined
}

export function LimitTable({ limits, usages, ...actions }: TableProps) {
  const usageOf = new Map(usages?.map((it) => [it.limit_id, it]))
  return (
    <div className="card">
      <TableFrame label="Limits">
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Applies to</Table.Th>
              <Table.Th>Limit</Table.Th>
              <Table.Th>Used now</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th>
                <span className="sr-only">Actions</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {limits.map((it) => (
              <LimitRow key={it.id} limit={it} usage={usageOf.get(it.id)} {...actions} />
            ))}
          </Table.Tbody>
        </Table>
      </TableFrame>
    </div>
  )
}

interface RowProps extends RowActions {
  limit: UsageLimit
  usage: UsageOfLimit | undefined
}

function LimitRow({ limit, usage, onChange, onDelete }: RowProps) {
  return (
    <Table.Tr>
      <Table.Td>
        <div className="limit-target">
          {targetText(limit)}
          <div className="small dimmed">
            {limit.target_id !== null && `${SCOPE_LABELS[limit.applies_to]}. `}
            {SCOPE_NOTES[limit.applies_to]}
          </div>
        </div>
      </Table.Td>
      <Table.Td className="nowrap">{amountText(limit)}</Table.Td>
      <Table.Td>{limit.enabled ? <Usage limit={limit} usage={usage} /> : <span className="dimmed">–</span>}</Table.Td>
      <Table.Td>
        <Badge color={limit.enabled ? 'green' : 'gray'} variant="light" tt="none">
          {limit.enabled ? 'On' : 'Off'}
        </Badge>
      </Table.Td>
      <Table.Td>
        <div className="limit-actions">
          <SwitchButton limit={limit} />
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={`Change ${limitName(limit)}`}
            onClick={() => onChange(limit)}
          >
            Change
          </Button>
          <Button
            variant="subtle"
            size="compact-sm"
            color="red"
            c="var(--mantine-color-error)"
            aria-label={`Delete ${limitName(limit)}`}
            onClick={() => onDelete(limit)}
          >
            Delete
          </Button>
        </div>
      </Table.Td>
    </Table.Tr>
  )
}

function Usage({ limit, usage }: Pick<RowProps, 'limit' | 'usage'>) {
  if (usage === undefined) return <span className="dimmed">unknown</span>
  const { used, allowed } = usage
  const text = `${formatCount(used)} of ${formatCount(allowed)}`
  return (
    <div className="limit-usage">
      <Progress
        value={Math.min(100, (used / allowed) * 100)}
        size="sm"
        color={used >= allowed ? 'red' : 'blue'}
        aria-label={`${limitName(limit)}: ${text} used`}
      />
      <span className="small dimmed">
        {text}
        {used >= allowed && ', used up'}
        {limit.applies_to === 'user' && ' by who used most'}
      </span>
    </div>
  )
}

function SwitchButton({ limit }: { limit: UsageLimit }) {
  const { id, requests_per_minute, token_budget, period_hours, enabled } = limit
  const reload = useReloadLimits()
  const toggle = useMutation({
    mutationFn: () =>
      updateLimit(api, {
        limit_id: id,
        body: { requests_per_minute, token_budget, period_hours, enabled: !enabled },
      }),
    onSettled: reload,
  })
  const label = enabled ? 'Switch off' : 'Switch on'
  return (
    <>
      {toggle.isError && <ErrorAlert error={toggle.error} />}
      <Button
        variant="subtle"
        size="compact-sm"
        loading={toggle.isPending}
        aria-label={`${label} ${limitName(limit)}`}
        onClick={() => toggle.mutate()}
      >
        {label}
      </Button>
    </>
  )
}
