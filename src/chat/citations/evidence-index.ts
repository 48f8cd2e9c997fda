// Decides which of the given passages support a claim.
import type { Passage } from '../../domain/chat/passage.ts'
import { detectLanguage } from '../../text/language.ts'
import type { Claim } from './claim.ts'
import {
  areNumbersSupported,
  bestSentence,
  containsQuotation,
  coverage,
  createEvidence,
  type Evidence,
  informativeWords,
} from './evidence.ts'

/**
 * The share of a claim's words that a passage must contain, absolute and relative to the best passage. Tuned on claims
 * that experts wrote about abstracts, see docs/answers.md: looser values admit chance matches, stricter ones lose good
 * citations.
 */
const MIN_COVERAGE = 0.25
const MIN_SHARE_OF_BEST = 0.5
/** The language of a shorter text cannot be detected reliably. */
const MIN_LANGUAGE_CHARACTERS = 60

export function createEvidenceIndex(passages: () => ReadonlyMap<number, Passage>) {
  const read = new Map<Passage, Evidence>()
  const evidence = (passage: Passage): Evidence => {
    const known = read.get(passage) ?? createEvidence(passage)
    read.set(passage, known)
    return known
  }
  const all = () => [...passages().values()].map(evidence)
  return {
    /** `citedTogether`: all passages cited in the same place; a number or quotation may occur in any of them. */
    supports(claim: Claim, passage: Passage, citedTogether: readonly Passage[]): boolean {
      const own = evidence(passage)
      const isSaid = claim.quotations.every((it) =>
        citedTogether.some((other) => containsQuotation(it, evidence(other))),
      )
      if (!isSaid || !areNumbersSupported(claim.ownText, citedTogether.map(evidence), claim.question)) return false
      return claim.readings.some((it) => coversClaim(it, own, all()))
    },
    bestQuote({ ownText }: Claim, passage: Passage): string {
      const { language } = evidence(passage)
      return bestSentence(informativeWords(ownText, language), passage.text, language)
    },
  }
}

function coversClaim(reading: string, evidence: Evidence, all: readonly Evidence[]): boolean {
  const words = informativeWords(reading, evidence.language)
  const own = coverage(words, evidence, all)
  const best = Math.max(...all.map((it) => coverage(words, it, all)))
  if (own >= MIN_COVERAGE && own >= MIN_SHARE_OF_BEST * best) return true
  // In another language the words differ, so only numbers and quotations can be compared.
  return reading.length >= MIN_LANGUAGE_CHARACTERS && own === best && detectLanguage(reading) !== evidence.language
}
