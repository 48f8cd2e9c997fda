import { textsOf } from '../../text/texts.ts'
import type { Difference } from './draft.ts'
import { itemText } from './item-texts.ts'
import type { Names } from './ranking-query.ts'

export function DifferenceList({ difference, names }: { difference: Difference; names: Names }) {
  const t = textsOf('admin.ranking.changes')
  const lines = [
    ...difference.removed.map((item) => ({ item, change: 'removed' as const })),
    ...difference.added.map((item) => ({ item, change: 'added' as const })),
  ]
  return (
    <ul className="ranking-changes">
      {lines.map(({ item, change }) => (
        <li key={`${change} ${JSON.stringify(item)}`} className={`ranking-${change}`}>
          <span className="ranking-change-kind">{t(change)}</span>
          {change === 'added' ? (
            <ins dir="auto">{itemText(item, names)}</ins>
          ) : (
            <del dir="auto">{itemText(item, names)}</del>
          )}
        </li>
      ))}
    </ul>
  )
}
