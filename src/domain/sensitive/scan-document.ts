// Finds sensitive content in a document, in slices between which other work runs.
import { createHash } from 'node:crypto'
import type { DocumentContent } from '../document.ts'
import { addMailAddresses, addPhoneNumbers, MIN_CONTACTS } from './contacts.ts'
import { type FindingPlace, SENSITIVE_KINDS, type SensitiveFinding, type SensitiveKind } from './kinds.ts'
import { findSensitive, maskSensitive } from './scan-text.ts'

export type ScannedContent = Pick<DocumentContent, 'title' | 'semantic_identifier' | 'metadata' | 'sections'>

export interface SensitiveContent {
  /** Names this text; empty if nothing was found. */
  textHash: string
  findings: SensitiveFinding[]
}

/** UTF-16 units between two turns of the event loop. */
const SLICE = 200_000
/** A slice begins and ends this much earlier and later, so that it holds all of what begins in it. */
const BEFORE = 400
const AFTER = 4_500
const MAX_PLACES = 20
const MAX_HEADING = 200

/** `nextTurn` lets other work run; it is called after each slice of a long text. */
export async function scanDocument(
  content: ScannedContent,
  nextTurn: () => Promise<unknown>,
): Promise<SensitiveContent> {
  const scan = createScan()
  let unread = SLICE
  for (const { text, place } of partsOf(content)) {
    for (let from = 0; from < text.length; from += SLICE) {
      scan.add(text, from, place)
      unread -= Math.min(SLICE, text.length - from)
      if (unread > 0) continue
      unread = SLICE
      await nextTurn()
    }
  }
  const findings = scan.findings()
  return { textHash: findings.length === 0 ? '' : hashOf(content), findings }
}

interface Part {
  text: string
  place: Omit<FindingPlace, 'count'>
}

function* partsOf({ title, semantic_identifier, metadata, sections }: ScannedContent): Generator<Part> {
  const facts = Object.entries(metadata).map(([key, value]) => `${key}: ${[value].flat().join('\n')}`)
  const names = title === null || title === semantic_identifier ? [semantic_identifier] : [title, semantic_identifier]
  yield { text: [...names, ...facts].join('\n'), place: { section: 0, heading: null, page: null } }
  for (const [at, { heading, text, link }] of sections.entries()) {
    const place = { section: at + 1, heading, page: pageOf(link) }
    yield { text: heading === null ? text : `${heading}\n${text}`, place }
  }
}

const MAX_PAGE_LINK = 20

/** PDF files are read page by page, with a link to each. */
function pageOf(link: string | null): number | null {
  const page = /#page=(\d{1,6})$/.exec(link?.slice(-MAX_PAGE_LINK) ?? '')?.[1]
  return page === undefined ? null : Number(page)
}

function createScan() {
  const places = new Map<SensitiveKind, FindingPlace[]>()
  const counts = new Map<SensitiveKind, number>()
  const contacts = { email_list: new Set<string>(), phone_list: new Set<string>() }
  const count = (kind: SensitiveKind, place: Part['place']) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    const known = places.get(kind) ?? []
    places.set(kind, known)
    const same = known.at(-1)
    if (same?.section === place.section) same.count++
    else if (known.length < MAX_PLACES) known.push({ ...place, heading: toHeading(place.heading), count: 1 })
  }
  return {
    add(text: string, from: number, place: Part['place']): void {
      const start = Math.max(0, from - BEFORE)
      const slice = text.slice(start, from + SLICE + AFTER)
      const [first, end] = [from - start, from - start + SLICE]
      for (const it of findSensitive(slice)) if (it.start >= first && it.start < end) count(it.kind, place)
      addMailAddresses(slice, first, end, contacts.email_list)
      addPhoneNumbers(slice, first, end, contacts.phone_list)
    },
    findings(): SensitiveFinding[] {
      for (const kind of ['email_list', 'phone_list'] as const)
        if (contacts[kind].size >= MIN_CONTACTS) counts.set(kind, contacts[kind].size)
      return SENSITIVE_KINDS.flatMap((kind) => {
        const found = counts.get(kind)
        return found === undefined ? [] : { kind, count: found, places: places.get(kind) ?? [] }
      })
    },
  }
}

/** Its end is cut only after masking: half a secret is not recognized. */
const toHeading = (heading: string | null): string | null =>
  heading === null ? null : maskSensitive(heading).slice(0, MAX_HEADING).toWellFormed()

function hashOf({ title, semantic_identifier, metadata, sections }: ScannedContent): string {
  const hash = createHash('sha256').update(JSON.stringify([title, semantic_identifier, metadata]))
  for (const { heading, text } of sections) hash.update(`${JSON.stringify(heading)}\n${text}\n`)
  return hash.digest('hex')
}
