// Counts of the records that are kept, and of those that would go with the days in the form.
import { Badge } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { RetentionPreview } from '../../../../src/client/schemas.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { ErrorAlert, LoadingSkeleton } from '../../parts/states.tsx'
import { formatCount, Time } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { retentionQuery } from './configuration-query.ts'
import type { SettingTexts } from './setting-values.ts'

/** The service is asked when nothing was typed for so long. */
const TYPING_MS = 300

export function Retention({ texts }: { texts: SettingTexts }) {
  const t = textsOf('admin.settings.kept')
  const [asked] = useDebouncedValue(texts, TYPING_MS)
  const preview = useQuery(retentionQuery(asked))
  return (
    <div className="stack settings-kept" aria-busy={preview.isFetching}>
      <h3>{t('title')}</h3>
      {preview.isPending && <LoadingSkeleton lines={4} />}
      {preview.isError && <ErrorAlert error={preview.error} retry={() => void preview.refetch()} />}
      {preview.data !== undefined && (
        <RecordTable
          label={t('title')}
          rows={preview.data}
          keyOf={(it) => it.kind}
          columns={[
            { label: t('kind'), className: 'long-text', cell: (it) => t(`kinds.${it.kind}`) },
            { label: t('kept'), className: 'number', cell: (it) => formatCount(it.kept) },
            { label: t('oldest'), className: 'nowrap', cell: (it) => <Time at={it.oldest} none="–" /> },
            { label: t('would_go'), className: 'number', cell: (it) => <WouldGo row={it} /> },
          ]}
        />
      )}
    </div>
  )
}

const WouldGo = ({ row: { would_go } }: { row: RetentionPreview }) =>
  would_go === 0 ? (
    <span className="dimmed">{formatCount(0)}</span>
  ) : (
    <Badge color="red" variant="light" tt="none">
      {formatCount(would_go)}
    </Badge>
  )
