import { listIndexAttemptErrors } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { DocumentList } from './document-list.tsx'

export const DocumentErrors = ({ id }: { id: number }) => (
  <DocumentList
    title="Failed documents"
    about="Error"
    queryKey={['pair', id, 'errors']}
    load={async (page) => {
      const { items, total_items } = await listIndexAttemptErrors(api, { cc_pair_id: id, ...page })
      const documents = items.map((it) => ({
        key: String(it.id),
        document_id: it.document_id,
        link: null,
        text: it.failure_message,
        time: it.time_created,
      }))
      return { items: documents, total_items }
    }}
  />
)
