import type { Meter } from '../domain/meter.ts'

/** Counts everything in each of the meters. */
export const combineMeters = (meters: readonly Meter[]): Meter => ({
  countAccepted: (facts) => meters.forEach((it) => void it.countAccepted(facts)),
  countPulled: (documents) => meters.forEach((it) => void it.countPulled(documents)),
  countIndexed: (facts) => meters.forEach((it) => void it.countIndexed(facts)),
  countEmbedded: (facts) => meters.forEach((it) => void it.countEmbedded(facts)),
  countSearch: (facts) => meters.forEach((it) => void it.countSearch(facts)),
  countChat: (facts) => meters.forEach((it) => void it.countChat(facts)),
  countTokens: (facts) => meters.forEach((it) => void it.countTokens(facts)),
  countResponse: (facts) => meters.forEach((it) => void it.countResponse(facts)),
  countError: (code) => meters.forEach((it) => void it.countError(code)),
})
