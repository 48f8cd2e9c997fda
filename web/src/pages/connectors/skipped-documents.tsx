import { listSkippedDocuments } from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'
import { DocumentList } from './document-list.tsx'

/** Documents that the connector skipped on purpose. */
export const SkippedDocuments = ({ id }: { id: number }) => (
  <DocumentList
    title="Skipped documents"
    about="Reason"
    queryKey={['pair', id, 'skipped']}
    load={async (page) => {
      const { items, total_items } = await listSkippedDocuments(api, {
        cc_pair_id: id,
        ...page,
      })
      const documents = items.map((it) => ({
        key: it.document_id,
        document_id: it.document_id,
        link: it.document_link,
        text: it.reason,
        time: it.time_created,
      }))
      return { items: documents, total_items }
    }}
  />
)
