// Limits of requests and tokens, for administrators.
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { UsageLimit } from '../../../../src/client/schemas.ts'
import { Icon } from '../../parts/icon.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { DeleteLimit } from './delete-limit.tsx'
import { LimitForm } from './limit-form.tsx'
import { LimitTable } from './limit-table.tsx'
import { useLimits, useUsageOfLimits } from './limits-query.ts'
import './limits.css'

type Opened = { dialog: 'new' } | { dialog: 'change' | 'delete'; limit: UsageLimit }

export function LimitsPage() {
  const t = textsOf('admin.limits')
  const [opened, setOpened] = useState<Opened | null>(null)
  const limits = useLimits()
  const usages = useUsageOfLimits()
  useTitle(t('title'))
  const close = () => setOpened(null)
  return (
    <>
      <PageHead title={t('title')} help={t('intro')}>
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpened({ dialog: 'new' })}>
          {t('new')}
        </Button>
      </PageHead>
      <div className="stack">
        {limits.isError && <ErrorAlert error={limits.error} retry={() => void limits.refetch()} />}
        {usages.isError && !limits.isError && <ErrorAlert error={usages.error} retry={() => void usages.refetch()} />}
        {limits.isPending && <LoadingSkeleton lines={5} />}
        {limits.data?.length === 0 && (
          <div className="card">
            <EmptyState icon="document" title={t('empty')}>
              {t('empty_help')}
            </EmptyState>
          </div>
        )}
        {limits.data !== undefined && limits.data.length > 0 && (
          <LimitTable
            limits={limits.data}
            usages={usages.data}
            onChange={(limit) => setOpened({ dialog: 'change', limit })}
            onDelete={(limit) => setOpened({ dialog: 'delete', limit })}
          />
        )}
      </div>
      {opened?.dialog === 'new' && <LimitForm onClose={close} />}
      {opened?.dialog === 'change' && <LimitForm limit={opened.limit} onClose={close} />}
      {opened?.dialog === 'delete' && <DeleteLimit limit={opened.limit} onClose={close} />}
    </>
  )
}
