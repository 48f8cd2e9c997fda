// Raises documents that people chose for the query, that they open often, or to which many documents link.
import { clickShare, linkShare } from '../../../domain/search/popularity.ts'
import type { RankingSettings } from '../../../domain/search/ranking.ts'
import type { RankingFacts } from '../../../store/popularity/ranking-facts.ts'
import { compareByScore, type RankedDocument, type ScorePart, type ScorePartName, withScoreParts } from '../fuse.ts'

/** How much it counts that people opened a document after any query, beside that they chose it for this one. */
const OPENED_SHARE = 0.25
/** The distance that remains to a document with the title that was asked for. */
const BELOW_TITLE = 1e-6

export interface PopularityContext {
  settings: Pick<RankingSettings, 'click_weight' | 'link_weight'>
  facts: ReadonlyMap<string, RankingFacts>
  semanticWeight: number
}

/** Re-sorts the results. Nothing rises above a document whose title is the query. */
export function addPopularity(
  ranked: readonly RankedDocument[],
  { settings, facts, semanticWeight }: PopularityContext,
): RankedDocument[] {
  const unit = 1 - semanticWeight
  const raises = new Map(
    ranked.flatMap((it) => {
      const own = facts.get(it.document_id)
      const parts = own === undefined ? [] : raisesOf(own, settings, unit)
      return parts.length === 0 ? [] : [[it.document_id, parts] as const]
    }),
  )
  if (raises.size === 0) return [...ranked]
  const titles = ranked.filter(hasTitle).map((it) => it.score + sumOf(raises.get(it.document_id) ?? []))
  const raised = ranked.map((it) => {
    const parts = raises.get(it.document_id)
    if (parts === undefined) return it
    const next = hasTitle(it) ? Infinity : Math.min(...titles.filter((score) => score > it.score))
    const room = Math.max(0, next - it.score - BELOW_TITLE)
    const share = Math.min(1, room / sumOf(parts))
    if (share === 0) return it
    return withScoreParts(it, [...it.parts, ...parts.map((part) => ({ ...part, value: part.value * share }))])
  })
  return raised.sort(compareByScore)
}

const hasTitle = ({ parts }: RankedDocument): boolean => parts.some((it) => it.name === 'title')
const sumOf = (parts: readonly ScorePart[]): number => parts.reduce((sum, it) => sum + it.value, 0)

function raisesOf(
  { chosen, opened, links }: RankingFacts,
  { click_weight, link_weight }: PopularityContext['settings'],
  unit: number,
): ScorePart[] {
  const part = (name: ScorePartName, weight: number, from: number): ScorePart => ({
    name,
    value: unit * weight * from,
    from,
  })
  return [
    part('chosen', click_weight, clickShare(chosen)),
    part('opened', click_weight * OPENED_SHARE, clickShare(opened)),
    part('linked', link_weight, linkShare(links)),
  ].filter((it) => it.value > 0)
}
