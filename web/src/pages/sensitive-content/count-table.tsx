import { Button } from '@mantine/core'
import type { SensitiveContentSummary } from '../../../../src/client/schemas.ts'
import { RecordTable } from '../../parts/record-table.tsx'
import { SourceIcon } from '../../parts/source-icon.tsx'
import { formatCount, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { kindText, type SensitiveKind } from './kinds.ts'

interface Props {
  summary: SensitiveContentSummary
  onChoose: (choice: { source: string; kind: SensitiveKind }) => void
}

export function CountTable({ summary, onChoose }: Props) {
  const t = textsOf('admin.sensitive_content')
  return (
    <section className="card" aria-labelledby="sensitive-sources">
      <div className="section-head">
        <h2 id="sensitive-sources">{t('by_source')}</h2>
      </div>
      <RecordTable
        label={t('by_source')}
        rows={summary.by_source}
        keyOf={(it) => `${it.kind} ${it.source}`}
        columns={[
          {
            label: t('source'),
            cell: ({ source }) => (
              <span className="sensitive-source">
                <SourceIcon source={source} size={24} />
                <bdi>{sourceLabel(source)}</bdi>
              </span>
            ),
          },
          { label: t('kind'), className: 'nowrap', cell: (it) => kindText(it.kind) },
          { label: t('documents'), className: 'number', cell: (it) => formatCount(it.documents) },
          { label: t('found'), className: 'number', cell: (it) => formatCount(it.count) },
        ]}
        action={({ source, kind }) => (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t('show_of', { source: sourceLabel(source), kind: kindText(kind) })}
            onClick={() => onChoose({ source, kind })}
          >
            {t('show')}
          </Button>
        )}
      />
    </section>
  )
}
