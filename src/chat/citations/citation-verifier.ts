// Shows a citation only if its passage was given to the model, is readable by the subject and supports the sentence.
import type { Passage } from '../../domain/chat/passage.ts'
import { createCitationOutput, type OutputItem } from './citation-output.ts'
import {
  appendToParagraph,
  type Claim,
  emptyParagraph,
  extractClaim,
  isSentenceOpen,
  piecesText,
  restOfSentence,
} from './claim.ts'
import { createEvidenceIndex } from './evidence-index.ts'
import { createMarkerScanner, type ScannedPiece } from './marker-scanner.ts'

export interface Citation {
  citation_number: number
  passage: Passage
  /** Words of the passage that support the sentence. */
  quote: string
}

export type VerifiedOutput = OutputItem<Citation>

export interface CitationVerifier {
  /**
   * Returns the part of the text that is final. Citations are numbered in the order of first use; each is reported
   * once.
   */
  write(text: string): Promise<VerifiedOutput[]>
  /** Returns the rest of this text; another text may follow. */
  end(): Promise<VerifiedOutput[]>
  counts(): { kept: number; removed: number }
}

interface CitationVerifierDeps {
  /** The passages given to the model so far, by number. */
  passages: () => ReadonlyMap<number, Passage>
  /** Checked at each citation. */
  isReadable: (passage: Passage) => Promise<boolean>
  question: string
  /** If false, no citation is shown. */
  showsCitations: boolean
  citationNumbering: CitationNumbering
}

/** Returns the number by which a passage is cited in this answer, and whether this is its first citation. */
export type CitationNumbering = (passage: Passage) => { citation_number: number; isNew: boolean }

export function createCitationNumbering(): CitationNumbering {
  const numbers = new Map<string, number>()
  return ({ document, chunk_inds }) => {
    const key = `${chunk_inds.join()} ${document.document_id}`
    const known = numbers.get(key)
    const citation_number = known ?? numbers.size + 1
    numbers.set(key, citation_number)
    return { citation_number, isNew: known === undefined }
  }
}

export const formatCitation = (citation_number: number, { link }: Passage): string =>
  `[[${citation_number}]](${markdownHref(link)})`

export function createCitationVerifier(deps: CitationVerifierDeps): CitationVerifier {
  const scanner = createMarkerScanner()
  const evidenceIndex = createEvidenceIndex(deps.passages)
  const counts = { kept: 0, removed: 0 }
  const output = createCitationOutput<Citation>()
  let paragraph = emptyParagraph
  /** A marker that precedes the words it supports, and everything that came after it. */
  let waiting: WaitingMarker | null = null

  const handlePiece = async (piece: ScannedPiece): Promise<void> => {
    if (waiting !== null) {
      waiting.pieces.push(piece)
      const ahead = restOfSentence(waiting.pieces)
      if (ahead !== null) await resolveWaiting(waiting, ahead)
      return
    }
    if (piece.type !== 'marker') {
      output.text(piece.text)
      paragraph = appendToParagraph(paragraph, piece.text)
      return
    }
    if (!deps.showsCitations) return output.markRemoved()
    const verdict = await verifyMarker(piece.numbers, '')
    const isClear = verdict.claim.isInformative && verdict.supported.length === verdict.readable.length
    if (!isClear && verdict.readable.length > 0 && isSentenceOpen(paragraph)) {
      waiting = { numbers: piece.numbers, pieces: [] }
    } else emitVerdict(piece.numbers, verdict)
  }

  /** The sentence is complete: emits the waiting marker and the pieces behind it. */
  const resolveWaiting = async ({ numbers, pieces }: WaitingMarker, ahead: string): Promise<void> => {
    waiting = null
    emitVerdict(numbers, await verifyMarker(numbers, ahead))
    for (const piece of pieces) await handlePiece(piece)
  }

  const verifyMarker = async (numbers: readonly number[], ahead: string): Promise<Verdict> => {
    const readable: Passage[] = []
    for (const number of numbers) {
      const passage = deps.passages().get(number)
      if (passage !== undefined && (await deps.isReadable(passage))) readable.push(passage)
    }
    const claim = extractClaim(paragraph, ahead, deps.question)
    return { readable, supported: readable.filter((it) => evidenceIndex.supports(claim, it, readable)), claim }
  }

  const emitVerdict = (numbers: readonly number[], { supported, claim }: Verdict): void => {
    counts.removed += numbers.length - supported.length
    counts.kept += supported.length
    if (supported.length === 0) output.markRemoved()
    for (const passage of supported) {
      const { citation_number, isNew } = deps.citationNumbering(passage)
      output.text(formatCitation(citation_number, passage))
      if (isNew) output.citation({ citation_number, passage, quote: evidenceIndex.bestQuote(claim, passage) })
    }
    paragraph = { ...paragraph, markedAt: paragraph.text.length }
  }

  return {
    async write(text) {
      for (const piece of scanner.write(text)) await handlePiece(piece)
      return output.flush()
    },
    async end() {
      for (const piece of scanner.end()) await handlePiece(piece)
      while (waiting !== null) await resolveWaiting(waiting, piecesText(waiting.pieces))
      paragraph = emptyParagraph
      return output.end()
    },
    counts: () => ({ ...counts }),
  }
}

interface WaitingMarker {
  numbers: readonly number[]
  pieces: ScannedPiece[]
}

interface Verdict {
  /** Passages that were given and are readable. */
  readable: readonly Passage[]
  /** The readable passages that support the sentence. */
  supported: readonly Passage[]
  claim: Claim
}

/** Escapes the address for a Markdown link; empty unless it is an http, https or mailto address. */
export function markdownHref(link: string | null): string {
  if (link === null || !/^(?:https?|mailto):/i.test(link)) return ''
  const safe = link.toWellFormed().replace(/[\s\p{C}<>[\]\\"`|^{}]/gu, (it) => encodeURIComponent(it))
  return safe.replaceAll('(', '%28').replaceAll(')', '%29')
}
