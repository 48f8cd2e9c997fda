// All credentials: what they open, who uses them, and where they may be sent.
import { useEffect, useState } from 'react'
import type { ConnectorIndexingStatus, CredentialSnapshot } from '../../../../src/client/schemas.ts'
import { AdminLink } from '../../admin/admin-link.tsx'
import { EmptyState, ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { CredentialTable, type CredentialTask } from './credential-table.tsx'
import { useCredentials, useCredentialUses } from './credentials-queries.ts'
import { DeleteCredential } from './delete-credential.tsx'
import { EditOrigins } from './edit-origins.tsx'
import { EditSecret } from './edit-secret.tsx'
import './credentials.css'

export function CredentialsPage() {
  const t = textsOf('admin.credentials')
  const credentials = useCredentials()
  const uses = useCredentialUses()
  const [open, setOpen] = useState<{ task: CredentialTask; id: number } | null>(null)
  useEffect(() => {
    document.title = t('document_title')
  }, [t])
  const credential = credentials.data?.find((it) => it.id === open?.id)
  return (
    <>
      <div className="page-head">
        <div>
          <h1>{t('title')}</h1>
          <p>{t('help')}</p>
        </div>
      </div>
      {credentials.isError && <ErrorAlert error={credentials.error} retry={() => void credentials.refetch()} />}
      {uses.isError && <ErrorAlert error={uses.error} retry={() => void uses.refetch()} />}
      {(credentials.isPending || uses.isPending) && <LoadingSkeleton lines={5} />}
      {credentials.data !== undefined && uses.data !== undefined && (
        <div className="card">
          {credentials.data.length === 0 ? (
            <EmptyState icon="key" title={t('none_title')}>
              {t.rich('none_help', { link: (text) => <AdminLink page="add-connector">{text}</AdminLink> })}
            </EmptyState>
          ) : (
            <CredentialTable
              credentials={credentials.data}
              uses={uses.data}
              onOpen={(task, id) => setOpen({ task, id })}
            />
          )}
        </div>
      )}
      {open !== null && credential !== undefined && uses.data !== undefined && (
        <OpenTask
          task={open.task}
          credential={credential}
          usedBy={uses.data.get(credential.id) ?? []}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}

interface TaskProps {
  task: CredentialTask
  credential: CredentialSnapshot
  usedBy: readonly ConnectorIndexingStatus[]
  onClose: () => void
}

function OpenTask({ task, ...props }: TaskProps) {
  if (task === 'secret') return <EditSecret {...props} />
  return task === 'origins' ? <EditOrigins {...props} /> : <DeleteCredential {...props} />
}
