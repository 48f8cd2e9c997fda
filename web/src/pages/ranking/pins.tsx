import { textsOf } from '../../text/texts.ts'
import type { Pin } from './draft.ts'
import { documentName } from './item-texts.ts'
import type { Ranking } from './ranking-query.ts'
import { SettingList } from './setting-list.tsx'

interface Props {
  ranking: Ranking
  onAdd: () => void
  onEdit: (query: string) => void
}

export function Pins({ ranking, onAdd, onEdit }: Props) {
  const t = textsOf('admin.ranking.pins')
  const pins = ranking.values?.pins ?? []
  return (
    <SettingList
      title={t('title')}
      help={t('help')}
      add={t('add')}
      none={t('none')}
      rows={pins}
      keyOf={(it) => JSON.stringify(it)}
      nameOf={(it) => it.query}
      columns={[
        { label: t('query'), className: 'long-text', cell: (it) => <bdi>{it.query}</bdi> },
        { label: t('documents'), className: 'long-text', cell: (it) => <PinnedDocuments pin={it} ranking={ranking} /> },
      ]}
      onAdd={onAdd}
      onEdit={(it) => onEdit(it.query)}
      onRemove={(removed) => ranking.change({ pins: pins.filter((it) => it !== removed) })}
    />
  )
}

const PinnedDocuments = ({ pin, ranking }: { pin: Pin; ranking: Ranking }) => (
  <ol className="ranking-pinned">
    {pin.document_ids.map((id) => (
      <li key={id} dir="auto">
        {documentName(id, ranking.names)}
      </li>
    ))}
  </ol>
)
