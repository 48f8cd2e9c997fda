import { Badge, Button, Progress, Table } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { updateLimit } from '../../../../src/client/operations.ts'
import type { UsageLimit, UsageOfLimit } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { textsOf } from '../../text/texts.ts'
import { amountText, limitName, targetText } from './limit-text.ts'
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
  const t = textsOf('admin.limits.table')
  const usageOf = new Map(usages?.map((it) => [it.limit_id, it]))
  return (
    <div className="card">
      <TableFrame label={textsOf('admin.limits')('title')}>
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('applies_to')}</Table.Th>
              <Table.Th>{t('limit')}</Table.Th>
              <Table.Th>{t('used')}</Table.Th>
              <Table.Th>{t('status')}</Table.Th>
              <Table.Th>
                <span className="sr-only">{textsOf('parts')('actions')}</span>
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
  const t = textsOf('admin.limits.table')
  const name = limitName(limit)
  return (
    <Table.Tr>
      <Table.Td>
        <div className="limit-target">
          <bdi>{targetText(limit)}</bdi>
          <div className="small dimmed">{textsOf('admin.limits')(`notes.${limit.applies_to}`)}</div>
        </div>
      </Table.Td>
      <Table.Td className="nowrap">{amountText(limit)}</Table.Td>
      <Table.Td>{limit.enabled ? <Usage limit={limit} usage={usage} /> : <span className="dimmed">–</span>}</Table.Td>
      <Table.Td>
        <Badge color={limit.enabled ? 'green' : 'gray'} variant="light" tt="none">
          {limit.enabled ? t('on') : t('off')}
        </Badge>
      </Table.Td>
      <Table.Td>
        <div className="limit-actions">
          <SwitchButton limit={limit} />
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t('change_of', { name })}
            onClick={() => onChange(limit)}
          >
            {t('change')}
          </Button>
          <Button
            variant="subtle"
            size="compact-sm"
            color="red"
            c="var(--mantine-color-error)"
            aria-label={t('delete_of', { name })}
            onClick={() => onDelete(limit)}
          >
            {textsOf('parts')('delete')}
          </Button>
        </div>
      </Table.Td>
    </Table.Tr>
  )
}

function Usage({ limit, usage }: Pick<RowProps, 'limit' | 'usage'>) {
  const t = textsOf('admin.limits.table')
  if (usage === undefined) return <span className="dimmed">{t('not_known')}</span>
  const { used, allowed } = usage
  return (
    <div className="limit-usage">
      <Progress
        value={Math.min(100, (used / allowed) * 100)}
        size="sm"
        color={used >= allowed ? 'red' : 'blue'}
        aria-label={t('usage_of', { name: limitName(limit), used, allowed })}
      />
      <span className="small dimmed">{usageText(usage, limit)}</span>
    </div>
  )
}

/** A limit of each person shows the one who used most. */
function usageText({ used, allowed }: UsageOfLimit, { applies_to }: UsageLimit): string {
  const t = textsOf('admin.limits.table')
  const usage = { used, allowed }
  if (applies_to === 'user') return used >= allowed ? t('usage_full_by_most', usage) : t('usage_by_most', usage)
  return used >= allowed ? t('usage_full', usage) : t('usage', usage)
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
  const t = textsOf('admin.limits.table')
  const name = limitName(limit)
  return (
    <>
      {toggle.isError && <ErrorAlert error={toggle.error} />}
      <Button
        variant="subtle"
        size="compact-sm"
        loading={toggle.isPending}
        aria-label={enabled ? t('switch_off_of', { name }) : t('switch_on_of', { name })}
        onClick={() => toggle.mutate()}
      >
        {enabled ? t('switch_off') : t('switch_on')}
      </Button>
    </>
  )
}
