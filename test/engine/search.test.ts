import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { GrowableBytes } from '../../src/engine/codec/growable-buffer.ts'
import { layOutSections, type SegmentImage } from '../../src/engine/codec/layout.ts'
import { encodeText } from '../../src/engine/codec/text-encoding.ts'
import { TextSearch } from '../../src/engine/query/text-search.ts'
import { buildSegment } from '../../src/engine/segment/build-segment.ts'
import { LiveSegment } from '../../src/engine/segment/live-segment.ts'
import { mergeSegments } from '../../src/engine/segment/merge-segments.ts'
import type { PassageGroup } from '../../src/engine/segment/passage-group.ts'
import { findGroupsByKey } from '../../src/engine/segment/segment.ts'
import { DIMENSIONS, groupOf, query, RANKING, searchExhaustively } from './reference-search.ts'

const search = new TextSearch(RANKING)
const basis = { b: RANKING.b, averageLength: 5, dimensions: DIMENSIONS }

const someGroups = fc.uniqueArray(groupOf(fc.string({ unit: 'binary', maxLength: 6 })), {
  selector: (it) => it.key,
  maxLength: 30,
})
const cuts = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 })
const deletions = fc.array(fc.boolean(), { minLength: 30, maxLength: 30 })

/** The groups, distributed over segments. */
function segmentsOf(groups: readonly PassageGroup[], sizes: readonly number[]): LiveSegment[] {
  const segments: LiveSegment[] = []
  for (let at = 0; at < groups.length; ) {
    const size = sizes[segments.length % sizes.length]!
    segments.push(new LiveSegment(buildSegment({ id: segments.length, ...basis }, groups.slice(at, at + size))))
    at += size
  }
  return segments
}

function remove(segments: readonly LiveSegment[], key: string): void {
  for (const live of segments)
    live.applyDeletion(live.createDeletion([...findGroupsByKey(live.segment, encodeText(key))]))
}

function merged(segments: readonly LiveSegment[]): LiveSegment {
  const stored = new GrowableBytes()
  const forward = new GrowableBytes()
  const steps = mergeSegments(
    { ...basis, writeStored: (it) => stored.append(it), writeForward: (it) => forward.append(it) },
    segments,
  )
  let step = steps.next()
  while (!step.done) step = steps.next()
  const { meta, sections } = step.value
  const laid = layOutSections([...sections, ['stored', stored.view()], ['forward', forward.view()]])
  const image: SegmentImage = {
    id: 99,
    meta,
    ...laid,
    disk: { stored: laid.sections.stored!, forward: laid.sections.forward! },
    path: null,
  }
  return new LiveSegment(image)
}

test('a search over segments gives the same result as looking at every passage', () => {
  fc.assert(
    fc.property(someGroups, cuts, query, (groups, sizes, asked) => {
      assert.deepEqual(search.search(segmentsOf(groups, sizes), asked), searchExhaustively(groups, asked))
    }),
    { numRuns: 500 },
  )
})

test('deleted groups do not count, before and after a merge', () => {
  fc.assert(
    fc.property(someGroups, cuts, query, deletions, (groups, sizes, asked, isDeleted) => {
      const segments = segmentsOf(groups, sizes)
      for (const [at, group] of groups.entries()) if (isDeleted[at]) remove(segments, group.key)
      const left = groups.filter((_, at) => !isDeleted[at])
      assert.deepEqual(search.search(segments, asked), searchExhaustively(left, asked))
      const one = merged(segments)
      assert.deepEqual(search.search([one], asked), searchExhaustively(left, asked))
      for (const group of left.slice(0, 3)) remove([one], group.key)
      assert.deepEqual(search.search([one], asked), searchExhaustively(left.slice(3), asked))
    }),
    { numRuns: 500 },
  )
})
