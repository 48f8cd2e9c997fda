import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EgressProfile } from '../domain/egress-refusal.ts'
import { connectorOf, connectors } from './load.ts'
import { pushedSources } from './pushed-sources.ts'
import { sourceFacts } from './source-facts.ts'

interface Row {
  egress: EgressProfile
  isOpen?: boolean
  aliases?: string[]
  ignored?: string[]
  isUniversal?: boolean
  namesUploads?: boolean
}
const JIRA: Row = {
  egress: 'admin-target',
  aliases: ['jira', 'ticket_tracker'],
  ignored: ['everything', 'indexing_scope'],
}
const PUSHED: Row = { egress: 'admin-target' }

/**
 * Written down a second time, so that a changed fact is noticed. A source without a row reaches public addresses only,
 * the owners of its credentials and administrators use them, and it has no aliases, ignored fields or uploads.
 */
const FACTS: Record<string, Row> = {
  confluence: { egress: 'admin-target', ignored: ['batch_size', 'everything', 'indexing_scope'] },
  file: { egress: 'public-only', namesUploads: true },
  git: { egress: 'admin-target' },
  github: { egress: 'admin-target', ignored: ['batch_size', 'everything', 'github_mode'] },
  gitlab: { egress: 'admin-target', ignored: ['batch_size'] },
  imap: { egress: 'admin-target' },
  jira: JIRA,
  mediawiki: { egress: 'admin-target', ignored: ['batch_size'] },
  redmine: { egress: 'admin-target' },
  s3: { egress: 'admin-target', ignored: ['batch_size'] },
  ticket_tracker: JIRA,
  web: { egress: 'public-only', isOpen: true, ignored: ['batch_size'] },
  google_sites: { egress: 'public-only', isOpen: true },
  ingestion_api: PUSHED,
  not_applicable: { ...PUSHED, isOpen: true, isUniversal: true },
  slack: PUSHED,
  wikipedia: { ...PUSHED, isOpen: true },
  xenforo: { egress: 'public-only' },
}

const STRICT: Row = { egress: 'public-only' }
const sources = [...connectors.flatMap((it) => it.sources), ...pushedSources.map((it) => it.source)]

for (const source of new Set([...Object.keys(FACTS), ...sources])) {
  const row = FACTS[source] ?? STRICT
  const { egress, isOpen = false, aliases = [source], ignored = [], isUniversal = false, namesUploads = false } = row
  test(`the facts of ${source}`, () => {
    assert.deepEqual(
      {
        egress: sourceFacts.egressProfileOf(source),
        isOpen: sourceFacts.openSources.includes(source),
        aliases: sourceFacts.namesOf(source).toSorted(),
        ignored: connectorOf(source)?.ignoredFields ?? [],
        fits: Object.keys(FACTS)
          .filter((it) => sourceFacts.isCredentialFor(source, it))
          .toSorted(),
        namesUploads: sourceFacts.namesUploads(source),
      },
      {
        egress,
        isOpen,
        aliases,
        ignored,
        fits: isUniversal ? Object.keys(FACTS).toSorted() : aliases,
        namesUploads,
      },
    )
  })
}

test('these sources report who may read a document', () => {
  const reporting = ['confluence', 'github', 'gitlab', 'imap', 'jira', 'redmine', 'ticket_tracker']
  assert.deepEqual([...new Set(sources)].filter(sourceFacts.hasAccess).toSorted(), reporting)
})

test('no connector reads a source that is pushed', () => {
  assert.deepEqual(
    pushedSources.filter((it) => connectorOf(it.source) !== undefined),
    [],
  )
})
