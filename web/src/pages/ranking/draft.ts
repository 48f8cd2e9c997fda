// The ranking settings as a person changes them before they are saved, and how they differ from the saved ones.
import type { RankingSettings } from '../../../../src/client/schemas.ts'

export type RankingValues = Pick<
  RankingSettings,
  'half_life_days' | 'source_half_life_days' | 'boosts' | 'pins' | 'synonyms' | Weight
>
/** How much popularity and freshness count. */
export const WEIGHTS = ['click_weight', 'link_weight', 'freshness_weight'] as const
export type Weight = (typeof WEIGHTS)[number]
export type Boost = RankingValues['boosts'][number]
export type Pin = RankingValues['pins'][number]
export type SourceHalfLife = RankingValues['source_half_life_days'][number]

/** One entry of the settings, for lists of changes. */
export type RankingItem =
  | { kind: 'half_life'; days: number }
  | { kind: 'source_half_life'; source: string; days: number }
  | { kind: 'boost'; boost: Boost }
  | { kind: 'pin'; pin: Pin }
  | { kind: 'synonym'; words: readonly string[] }
  | { kind: Weight; weight: number }

export interface Difference {
  removed: RankingItem[]
  added: RankingItem[]
}

/** Nothing but the words and their meaning counts. */
export const NO_RANKING: RankingValues = {
  half_life_days: null,
  source_half_life_days: [],
  boosts: [],
  pins: [],
  synonyms: [],
  click_weight: 0,
  link_weight: 0,
  freshness_weight: 0,
}

export const valuesOf = ({
  half_life_days,
  source_half_life_days,
  boosts,
  pins,
  synonyms,
  ...weights
}: RankingValues): RankingValues => ({
  ...{ half_life_days, source_half_life_days, boosts, pins, synonyms },
  ...weightsOf(weights),
})

const weightsOf = ({ click_weight, link_weight, freshness_weight }: Pick<RankingValues, Weight>) => ({
  click_weight,
  link_weight,
  freshness_weight,
})

/** Queries that differ only in case and white space have the same pins. */
export const sameQuery = (one: string, other: string): boolean => normalizeQuery(one) === normalizeQuery(other)
const normalizeQuery = (query: string): string => query.trim().toLowerCase().replace(/\s+/g, ' ')

/** Identifies the boosted thing. Two boosts of it would be multiplied. */
export const boostTarget = (boost: Boost): string => {
  const { factor: _, ...target } = boost
  return JSON.stringify(target)
}

export function differenceOf(before: RankingValues, after: RankingValues): Difference {
  const [own, other] = [itemsOf(before), itemsOf(after)]
  const texts = (items: readonly RankingItem[]) => new Set(items.map((it) => JSON.stringify(it)))
  const [ownTexts, otherTexts] = [texts(own), texts(other)]
  return {
    removed: own.filter((it) => !otherTexts.has(JSON.stringify(it))),
    added: other.filter((it) => !ownTexts.has(JSON.stringify(it))),
  }
}

const itemsOf = ({
  half_life_days: days,
  source_half_life_days,
  boosts,
  pins,
  synonyms,
  ...weights
}: RankingValues): RankingItem[] => [
  ...(days === null ? [] : [{ kind: 'half_life' as const, days }]),
  ...source_half_life_days.map((it) => ({ kind: 'source_half_life' as const, ...it })),
  ...boosts.map((boost) => ({ kind: 'boost' as const, boost })),
  ...pins.map((pin) => ({ kind: 'pin' as const, pin })),
  ...synonyms.map((words) => ({ kind: 'synonym' as const, words })),
  ...WEIGHTS.map((kind) => ({ kind, weight: weights[kind] })),
]

/** Only the fields that differ, so that an update leaves the others alone. */
export function changedFields(before: RankingValues, after: RankingValues): Partial<RankingValues> {
  const isChanged = (field: keyof RankingValues) => JSON.stringify(before[field]) !== JSON.stringify(after[field])
  return {
    ...(isChanged('half_life_days') && { half_life_days: after.half_life_days }),
    ...(isChanged('source_half_life_days') && { source_half_life_days: after.source_half_life_days }),
    ...(isChanged('boosts') && { boosts: after.boosts }),
    ...(isChanged('pins') && { pins: after.pins }),
    ...(isChanged('synonyms') && { synonyms: after.synonyms }),
    ...Object.fromEntries(WEIGHTS.filter(isChanged).map((weight) => [weight, after[weight]])),
  }
}

/** Applies the changes from `base` to `mine` to what another person saved meanwhile. */
export const mergeValues = (base: RankingValues, mine: RankingValues, theirs: RankingValues): RankingValues => ({
  half_life_days: mergeValue([base, mine, theirs], 'half_life_days'),
  click_weight: mergeValue([base, mine, theirs], 'click_weight'),
  link_weight: mergeValue([base, mine, theirs], 'link_weight'),
  freshness_weight: mergeValue([base, mine, theirs], 'freshness_weight'),
  source_half_life_days: mergeList(
    [base.source_half_life_days, mine.source_half_life_days, theirs.source_half_life_days],
    (it) => it.source,
  ),
  boosts: mergeList([base.boosts, mine.boosts, theirs.boosts], boostTarget),
  pins: mergeList([base.pins, mine.pins, theirs.pins], (it) => normalizeQuery(it.query)),
  synonyms: mergeList([base.synonyms, mine.synonyms, theirs.synonyms], (it) => JSON.stringify(it)),
})

const mergeValue = <Field extends 'half_life_days' | Weight>(
  [base, mine, theirs]: readonly [RankingValues, RankingValues, RankingValues],
  field: Field,
): RankingValues[Field] => (mine[field] === base[field] ? theirs[field] : mine[field])

function mergeList<Item>(
  [base, mine, theirs]: readonly [readonly Item[], readonly Item[], readonly Item[]],
  keyOf: (item: Item) => string,
): Item[] {
  const byKey = (items: readonly Item[]) => Map.groupBy(items, keyOf)
  const [before, own, other] = [byKey(base), byKey(mine), byKey(theirs)]
  return [...new Set([...other.keys(), ...own.keys()])].flatMap((key) => {
    const isMine = JSON.stringify(own.get(key)) !== JSON.stringify(before.get(key))
    return (isMine ? own : other).get(key) ?? []
  })
}
