// Where the preview is: next to the results, or in a dialog where there is no room.
import { Button } from '@mantine/core'
import { Dialog } from '../../parts/dialog.tsx'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { EmptyState } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { hitName } from './hit-name.ts'
import { Preview } from './preview.tsx'
import type { SendFeedback } from './use-feedback.ts'
import type { Hit } from './use-results.ts'

interface Props {
  hit: Hit
  query: string
  sendFeedback: SendFeedback
}

export function PreviewColumn({ hit, query, sendFeedback }: Omit<Props, 'hit'> & { hit: Hit | undefined }) {
  const t = textsOf('search.preview')
  return (
    <aside className="card preview" aria-label={t('label')}>
      {hit === undefined ? (
        <EmptyState icon="document" title={t('nothing')} />
      ) : (
        <>
          <h2 dir="auto" className="preview-title">
            <SourceIcon source={hit.source_type} size={28} />
            <span>{hitName(hit)}</span>
          </h2>
          <Preview key={hit.document_id} hit={hit} query={query} onFeedback={(kind) => sendFeedback(hit, kind)} />
        </>
      )}
    </aside>
  )
}

export const PreviewDialog = ({ hit, query, sendFeedback, onClose }: Props & { onClose: () => void }) => (
  <Dialog title={hitName(hit)} onClose={onClose}>
    <Preview key={hit.document_id} hit={hit} query={query} onFeedback={(kind) => sendFeedback(hit, kind)} />
    <form method="dialog" className="dialog-end">
      <Button type="submit" variant="default">
        {textsOf('parts')('close')}
      </Button>
    </form>
  </Dialog>
)
