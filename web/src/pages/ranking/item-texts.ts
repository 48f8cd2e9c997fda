// The entries of the ranking settings in words.
import { listText, sourceLabel } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import type { Boost, RankingItem } from './draft.ts'
import type { Names } from './ranking-query.ts'

export const documentName = (id: string, names: Names): string => names.get(id) ?? id

export function boostName(boost: Boost, names: Names): string {
  if ('source' in boost) return sourceLabel(boost.source)
  return 'document_set' in boost ? boost.document_set : documentName(boost.document_id, names)
}

export const boostKind = (boost: Boost): 'source' | 'document_set' | 'document' =>
  'source' in boost ? 'source' : 'document_set' in boost ? 'document_set' : 'document'

export function itemText(item: RankingItem, names: Names): string {
  const t = textsOf('admin.ranking.items')
  switch (item.kind) {
    case 'half_life':
      return t('half_life', { days: item.days })
    case 'source_half_life':
      return t('source_half_life', { source: sourceLabel(item.source), days: item.days })
    case 'boost':
      return t('boost', { name: boostName(item.boost, names), factor: item.boost.factor })
    case 'pin': {
      const documents = listText(item.pin.document_ids.map((it) => documentName(it, names)))
      return t('pin', { query: item.pin.query, documents })
    }
    case 'synonym':
      return t('synonym', { words: listText(item.words) })
    case 'click_weight':
    case 'link_weight':
    case 'freshness_weight':
      return t(item.kind, { weight: item.weight })
  }
}
