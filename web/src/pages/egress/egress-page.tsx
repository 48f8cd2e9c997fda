// The addresses that the service may call, and those that it refused, for administrators.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { textsOf } from '../../text/texts.ts'
import { Approvals } from './approvals.tsx'
import { ApproveHost, type HostToApprove } from './approve-host.tsx'
import { CheckAddress } from './check-address.tsx'
import { Refusals } from './refusals.tsx'
import './egress.css'

const EMPTY: HostToApprove = { host: '', port: null, reason: '' }

export function EgressPage() {
  const t = textsOf('admin.egress')
  const [host, setHost] = useState<HostToApprove | null>(null)
  useTitle(t('title'))
  return (
    <div className="stack">
      <PageHead title={t('title')} help={t('intro')}>
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setHost(EMPTY)}>
          {t('approve.open')}
        </Button>
      </PageHead>
      <CheckAddress onApprove={setHost} />
      <Refusals onApprove={setHost} />
      <Approvals />
      {host !== null && <ApproveHost suggested={host} onClose={() => setHost(null)} />}
    </div>
  )
}
