import { textsOf } from '../../text/texts.ts'
import { type Boost, boostTarget } from './draft.ts'
import { boostKind, boostName } from './item-texts.ts'
import { NumberField } from './number-field.tsx'
import type { Ranking } from './ranking-query.ts'
import { SettingList } from './setting-list.tsx'

/** The range that the API takes. */
export const MIN_FACTOR = 0.1
export const MAX_FACTOR = 10
export const FACTOR_STEP = 0.1

export function Boosts({ ranking, onAdd }: { ranking: Ranking; onAdd: () => void }) {
  const t = textsOf('admin.ranking.boosts')
  const boosts = ranking.values?.boosts ?? []
  const nameOf = (it: Boost) => boostName(it, ranking.names)
  const setFactor = (changed: Boost, factor: number) =>
    ranking.change({
      boosts: boosts.map((it) => (boostTarget(it) === boostTarget(changed) ? { ...it, factor } : it)),
    })
  return (
    <SettingList
      title={t('title')}
      help={t('help')}
      add={t('add')}
      none={t('none')}
      rows={boosts}
      keyOf={boostTarget}
      nameOf={nameOf}
      columns={[
        {
          label: t('target'),
          className: 'long-text',
          cell: (it) => (
            <>
              <bdi>{nameOf(it)}</bdi>
              <div className="small dimmed">{t(`kinds.${boostKind(it)}`)}</div>
            </>
          ),
        },
        {
          label: t('factor'),
          cell: (it) => (
            <NumberField
              label={t('factor_of', { name: nameOf(it) })}
              isLabelHidden
              value={it.factor}
              min={MIN_FACTOR}
              max={MAX_FACTOR}
              step={FACTOR_STEP}
              onChange={(factor) => factor !== null && setFactor(it, factor)}
            />
          ),
        },
      ]}
      onAdd={onAdd}
      onRemove={(removed) =>
        ranking.change({ boosts: boosts.filter((it) => boostTarget(it) !== boostTarget(removed)) })
      }
    />
  )
}
