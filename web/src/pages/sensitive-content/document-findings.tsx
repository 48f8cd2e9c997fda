// The findings of one document, on its page. Nothing if it has none.
import { useQuery } from '@tanstack/react-query'
import { listSensitiveDocuments } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { Findings } from './findings.tsx'
import './sensitive-content.css'

export function DocumentFindings({ id }: { id: string }) {
  const found = useQuery({
    queryKey: ['sensitive-content', 'document', id],
    queryFn: ({ signal }) => listSensitiveDocuments(api, { document_id: id, limit: 1, signal }),
  })
  if (found.isError) return <ErrorAlert error={found.error} retry={() => void found.refetch()} />
  const [document] = found.data?.items ?? []
  if (document === undefined) return null
  return (
    <section className="card card-pad stack" aria-labelledby="sensitive-findings">
      <h2 id="sensitive-findings">{textsOf('admin.sensitive_content')('title')}</h2>
      <Findings document={document} />
    </section>
  )
}
