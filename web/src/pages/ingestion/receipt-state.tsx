import { Badge } from '@mantine/core'
import type { IngestionReceiptPage } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'

export type Receipt = IngestionReceiptPage['items'][number]

const COLORS: Record<Receipt['status'], string> = {
  indexed: 'green',
  failed: 'red',
  indexing: 'blue',
  accepted: 'yellow',
}

/** The document is indexed but deserves attention. */
const isWithoutText = ({ status, warnings }: Stated) => status === 'indexed' && warnings.includes('no_text')

type Stated = Pick<Receipt, 'status' | 'warnings' | 'is_hidden'>

export function ReceiptState({ receipt }: { receipt: Stated }) {
  const t = textsOf('admin.ingestion.receipts')
  const withoutText = isWithoutText(receipt)
  // The index has followed, and holds nothing of it.
  if (receipt.is_hidden && receipt.status === 'indexed')
    return (
      <Badge color="gray" variant="light" tt="none" className="nowrap" miw="max-content">
        {t('hidden')}
      </Badge>
    )
  return (
    <Badge
      color={withoutText ? 'yellow' : COLORS[receipt.status]}
      variant="light"
      tt="none"
      className="nowrap"
      miw="max-content"
    >
      {withoutText ? t('indexed_without_text') : t(`states.${receipt.status}`)}
    </Badge>
  )
}
