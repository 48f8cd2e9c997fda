// The guard: what a model cites is shown only if it was given, may be read by who asks, and carries the sentence.
import type { Passage } from '../domain/passage.ts'
import { type Claim, claimOf, emptyParagraph, grown, isOpen, sentenceAhead, textOf } from './claim.ts'
import { createLibrary } from './library.ts'
import { createScanner, type Piece } from './markers.ts'
import { createOutput, type Shown } from './output.ts'

export interface Citation {
  citation_number: number
  passage: Passage
  /** Words of the passage on which the sentence rests. */
  quote: string
}

export type Guarded = Shown<Citation>

export interface Guard {
  /** What of the text is certain by now, citations numbered in the order of their first use; each is told of once. */
  write(text: string): Promise<Guarded[]>
  /** The rest of this text; another one may follow. */
  end(): Promise<Guarded[]>
  counts(): { kept: number; removed: number }
}

interface GuardNeeds {
  /** What was given so far, by its number. */
  given: () => ReadonlyMap<number, Passage>
  /** Asked at each citation. */
  isReadable: (passage: Passage) => Promise<boolean>
  question: string
  /** None is shown otherwise. */
  isCiting: boolean
  numbering: Numbering
}

/** The number by which a passage is cited in this answer, and whether this is the first time. */
export type Numbering = (passage: Passage) => { citation_number: number; isNew: boolean }

export function createNumbering(): Numbering {
  const numbers = new Map<string, number>()
  return ({ document, chunk_inds }) => {
    const key = `${chunk_inds.join()} ${document.document_id}`
    const known = numbers.get(key)
    const citation_number = known ?? numbers.size + 1
    numbers.set(key, citation_number)
    return { citation_number, isNew: known === undefined }
  }
}

export const markerOf = (citation_number: number, { link }: Passage): string =>
  `[[${citation_number}]](${addressOf(link)})`

export function createGuard(needs: GuardNeeds): Guard {
  const scanner = createScanner()
  const library = createLibrary(needs.given)
  const counts = { kept: 0, removed: 0 }
  const output = createOutput<Citation>()
  let paragraph = emptyParagraph
  /** A marker that stands before the words it is about, and all that came after it. */
  let waiting: { numbers: readonly number[]; pieces: Piece[] } | null = null

  const take = async (piece: Piece): Promise<void> => {
    if (waiting !== null) {
      waiting.pieces.push(piece)
      const ahead = sentenceAhead(waiting.pieces)
      if (ahead !== null) await settle(ahead)
      return
    }
    if (piece.type !== 'marker') {
      output.text(piece.text)
      paragraph = grown(paragraph, piece.text)
      return
    }
    if (!needs.isCiting) return output.removed()
    const verdict = await judge(piece.numbers, '')
    const isClear = verdict.claim.isTelling && verdict.held.length === verdict.real.length
    if (!isClear && verdict.real.length > 0 && isOpen(paragraph)) {
      waiting = { numbers: piece.numbers, pieces: [] }
    } else show(piece.numbers, verdict)
  }

  /** The sentence is known, and what was waited with it goes its way. */
  const settle = async (ahead: string): Promise<void> => {
    const { numbers, pieces } = waiting!
    waiting = null
    show(numbers, await judge(numbers, ahead))
    for (const piece of pieces) await take(piece)
  }

  const judge = async (numbers: readonly number[], ahead: string): Promise<Verdict> => {
    const real: number[] = []
    for (const number of numbers) {
      const passage = needs.given().get(number)
      if (passage !== undefined && (await needs.isReadable(passage))) real.push(number)
    }
    const claim = claimOf(paragraph, ahead, needs.question)
    return { real, held: real.filter((it) => library.holds(claim, it, real)), claim }
  }

  const show = (numbers: readonly number[], { held, claim }: Verdict): void => {
    counts.removed += numbers.length - held.length
    counts.kept += held.length
    if (held.length === 0) output.removed()
    for (const number of held) {
      const passage = needs.given().get(number)!
      const { citation_number, isNew } = needs.numbering(passage)
      output.text(markerOf(citation_number, passage))
      if (isNew) output.citation({ citation_number, passage, quote: library.quote(claim, number) })
    }
    paragraph = { ...paragraph, markedAt: paragraph.text.length }
  }

  return {
    async write(text) {
      for (const piece of scanner.write(text)) await take(piece)
      return output.flush()
    },
    async end() {
      for (const piece of scanner.end()) await take(piece)
      while (waiting !== null) await settle(textOf(waiting.pieces))
      paragraph = emptyParagraph
      return output.end()
    },
    counts: () => ({ ...counts }),
  }
}

interface Verdict {
  /** They were given and may be read. */
  real: readonly number[]
  /** Of those, the ones that carry the sentence. */
  held: readonly number[]
  claim: Claim
}

/** As it may stand in a link of Markdown; nothing but what a person may open. */
function addressOf(link: string | null): string {
  if (link === null || !/^(?:https?|mailto):/i.test(link)) return ''
  const safe = link.toWellFormed().replace(/[\s\p{C}<>[\]\\"`|^{}]/gu, (it) => encodeURIComponent(it))
  return safe.replaceAll('(', '%28').replaceAll(')', '%29')
}
