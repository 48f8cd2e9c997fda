import { listText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import type { Ranking } from './ranking-query.ts'
import { SettingList } from './setting-list.tsx'

interface Props {
  ranking: Ranking
  onAdd: () => void
  onEdit: (words: readonly string[]) => void
}

export function Synonyms({ ranking, onAdd, onEdit }: Props) {
  const t = textsOf('admin.ranking.synonyms')
  const synonyms = ranking.values?.synonyms ?? []
  return (
    <SettingList
      title={t('title')}
      help={t('help')}
      add={t('add')}
      none={t('none')}
      rows={synonyms}
      keyOf={(it) => JSON.stringify(it)}
      nameOf={listText}
      columns={[{ label: t('words'), className: 'long-text', cell: (it) => <bdi>{listText(it)}</bdi> }]}
      onAdd={onAdd}
      onEdit={onEdit}
      onRemove={(removed) => ranking.change({ synonyms: synonyms.filter((it) => it !== removed) })}
    />
  )
}
