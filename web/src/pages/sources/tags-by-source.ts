import type { TagResponse } from '../../../../src/client/schemas.ts'

export type SourceTag = TagResponse['tags'][number]

/** A key with more values names documents instead of dividing them, such as a path. */
const MAX_VALUES = 12
const MAX_SHOWN = 8

/** The most frequent tags of each source that divide its documents. */
export function tagsBySource({ tags }: TagResponse): Map<string, SourceTag[]> {
  const bySource = Map.groupBy(tags, (it) => it.source)
  return new Map([...bySource].map(([source, own]) => [source, dividingTags(own).slice(0, MAX_SHOWN)]))
}

function dividingTags(tags: readonly SourceTag[]): SourceTag[] {
  const byKey = Map.groupBy(tags, (it) => it.tag_key)
  return tags.filter(({ tag_key }) => (byKey.get(tag_key)?.length ?? 0) <= MAX_VALUES)
}
