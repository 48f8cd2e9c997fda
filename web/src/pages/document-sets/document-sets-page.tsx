// Sets of connectors to which searches and agents are limited.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DocumentSetSummary, MinimalPersonaSnapshot } from '../../../../src/client/schemas.ts'
import { CsvButton } from '../../parts/csv/csv-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { useTitle } from '../../parts/use-title.ts'
import { hasPermission, useMe } from '../../session.ts'
import { textsOf } from '../../text/texts.ts'
import { DeleteSet } from './delete-set.tsx'
import { DocumentSetTable } from './document-set-table.tsx'
import { agentsOfSetsQuery, managedSetsQuery } from './document-sets-query.ts'
import { SetForm } from './set-form.tsx'
import './document-sets.css'

type Opened = { dialog: 'new' } | { dialog: 'edit' | 'delete'; set: DocumentSetSummary }

export function DocumentSetsPage() {
  const t = textsOf('admin.document_sets')
  const isAdmin = hasPermission(useMe(), 'admin')
  const [opened, setOpened] = useState<Opened | null>(null)
  const sets = useQuery(managedSetsQuery)
  const agents = useQuery(agentsOfSetsQuery(isAdmin))
  useTitle(t('title'))
  const close = () => setOpened(null)
  const agentsOf = ({ id }: DocumentSetSummary) =>
    agents.data?.filter((agent) => agent.document_sets.some((it) => it.id === id))
  return (
    <>
      <PageHead title={t('title')} help={t('intro')}>
        {sets.data !== undefined && sets.data.length > 0 && (
          <CsvButton file="document-sets" records={() => sets.data.map((it) => recordOf(it, agentsOf(it)))} />
        )}
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setOpened({ dialog: 'new' })}>
          {t('new')}
        </Button>
      </PageHead>
      <div className="stack">
        {sets.isError && <ErrorAlert error={sets.error} retry={() => void sets.refetch()} />}
        {agents.isError && !sets.isError && <ErrorAlert error={agents.error} retry={() => void agents.refetch()} />}
        {sets.isPending && <LoadingSkeleton lines={6} />}
        {sets.data?.length === 0 && (
          <div className="card">
            <EmptyState icon="document" title={t('empty')}>
              {t('empty_help')}
            </EmptyState>
          </div>
        )}
        {sets.data !== undefined && sets.data.length > 0 && (
          <DocumentSetTable
            sets={sets.data}
            agentsOf={agentsOf}
            onEdit={(set) => setOpened({ dialog: 'edit', set })}
            onDelete={(set) => setOpened({ dialog: 'delete', set })}
          />
        )}
      </div>
      {opened?.dialog === 'new' && <SetForm onClose={close} />}
      {opened?.dialog === 'edit' && <SetForm set={opened.set} onClose={close} />}
      {opened?.dialog === 'delete' && (
        <DeleteSet set={opened.set} agents={agentsOf(opened.set) ?? []} onClose={close} />
      )}
    </>
  )
}

const recordOf = (set: DocumentSetSummary, agents: readonly MinimalPersonaSnapshot[] = []) => ({
  ...{ id: set.id, name: set.name, description: set.description, is_public: set.is_public },
  connectors: set.cc_pair_summaries.map(({ name }) => name),
  users: set.users,
  groups: set.groups,
  agents: agents.map(({ name }) => name),
})
