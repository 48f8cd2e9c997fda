import { Button } from '@mantine/core'
import type { ScreenedSource } from '../../../../src/client/schemas.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { formatCount, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'

interface Props {
  sources: readonly ScreenedSource[]
  chosen: string | null
  onChoose: (source: string | null) => void
}

export function SourceTable({ sources, chosen, onChoose }: Props) {
  const t = textsOf('admin.screening')
  return (
    <section className="card" aria-labelledby="screened-sources">
      <div className="section-head">
        <h2 id="screened-sources">{t('by_source')}</h2>
      </div>
      <RecordTable
        label={t('by_source')}
        rows={sources}
        keyOf={(it) => it.source}
        columns={[
          { label: t('source'), className: 'long-text', cell: (it) => <Source source={it.source} /> },
          { label: t('warnings.instructions'), className: 'number', cell: (it) => formatCount(it.instructions) },
          { label: t('warnings.hidden_text'), className: 'number', cell: (it) => formatCount(it.hidden_text) },
          { label: t('hidden_characters'), className: 'number', cell: (it) => formatCount(it.hidden_characters) },
          { label: t('not_screened'), className: 'number', cell: (it) => formatCount(it.unscreened) },
        ]}
        action={({ source }) => (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-pressed={chosen === source}
            aria-label={t('show_of', { source: sourceLabel(source) })}
            onClick={() => onChoose(chosen === source ? null : source)}
          >
            {t('show')}
          </Button>
        )}
      />
    </section>
  )
}

const Source = ({ source }: { source: string }) => (
  <span className="screening-source">
    <SourceIcon source={source} size={24} />
    <bdi>{sourceLabel(source)}</bdi>
  </span>
)
