// Which of the passages that were given carry a claim?
import type { Passage } from '../domain/passage.ts'
import { detectLanguage } from '../text/language.ts'
import type { Claim } from './claim.ts'
import { bestSentence, coverage, type Evidence, evidenceOf, isQuoteOf, numbersHold, tellingWords } from './evidence.ts'

/**
 * The share of a claim's words that a passage must hold, and that share beside the best passage's. Tuned on claims about
 * abstracts that experts wrote in their own words, see docs/answers.md: looser lets chance in, tighter loses good ones.
 */
const LEAST_COVERAGE = 0.25
const LEAST_BESIDE_BEST = 0.5
/** A shorter text does not tell its language. */
const SURE_OF_LANGUAGE = 60

export function createLibrary(given: () => ReadonlyMap<number, Passage>) {
  const read = new Map<number, Evidence>()
  const evidence = (number: number): Evidence => {
    const known = read.get(number) ?? evidenceOf(given().get(number)!)
    read.set(number, known)
    return known
  }
  const all = () => [...given().keys()].map(evidence)
  return {
    /** `beside`: all that are cited in the same place; a number may stand in any of them. */
    holds(claim: Claim, number: number, beside: readonly number[]): boolean {
      const own = evidence(number)
      const isSaid = claim.quoted.every((it) => beside.some((other) => isQuoteOf(it, evidence(other))))
      if (!isSaid || !numbersHold(claim.own, beside.map(evidence), claim.question)) return false
      return claim.readings.some((it) => isAbout(it, own, all()))
    },
    quote({ own }: Claim, number: number): string {
      const { language } = evidence(number)
      return bestSentence(tellingWords(own, language), given().get(number)!.text, language)
    },
  }
}

function isAbout(reading: string, evidence: Evidence, all: readonly Evidence[]): boolean {
  const words = tellingWords(reading, evidence.language)
  const own = coverage(words, evidence, all)
  const best = Math.max(...all.map((it) => coverage(words, it, all)))
  if (own >= LEAST_COVERAGE && own >= LEAST_BESIDE_BEST * best) return true
  // Another language has other words: then numbers and quotes alone can be compared.
  return reading.length >= SURE_OF_LANGUAGE && own === best && detectLanguage(reading) !== evidence.language
}
