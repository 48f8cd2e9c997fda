// The choices of a person for the pages. The account keeps it; this browser has a copy, so that the next page begins with it.
import type { UserPreferences } from '../../src/client/schemas.ts'
import { chooseLanguage, chooseTimeZone, isLanguage, isTimeZone, language, timeZone } from './text/language.ts'

type Kept = Pick<UserPreferences, 'language' | 'time_zone' | 'density'>

const DENSITY_KEY = 'pharos-density'

/** Called before the first page is shown. */
export function showDensity(): void {
  document.documentElement.dataset.density = localStorage.getItem(DENSITY_KEY) ?? 'comfortable'
}

/**
 * Copies the preferences of the account to this browser. A choice that the account does not have is left as it is here.
 * True if the page must be loaded again to show them.
 */
export function adoptPreferences({ language: wanted, time_zone: zone, density }: Kept): boolean {
  if (density !== null) chooseDensity(density)
  const isOtherLanguage = wanted !== null && isLanguage(wanted) && wanted !== language
  if (isOtherLanguage) chooseLanguage(wanted)
  const isOtherZone = zone !== null && isTimeZone(zone) && zone !== timeZone
  if (isOtherZone) chooseTimeZone(zone)
  return isOtherLanguage || isOtherZone
}

export function chooseDensity(density: UserPreferences['density']): void {
  if (density === null) localStorage.removeItem(DENSITY_KEY)
  else localStorage.setItem(DENSITY_KEY, density)
  showDensity()
}

/** Loads the page again with the preferences of the account. The promise never ends, so that nothing is shown before. */
export function loadAgain(path: string): Promise<never> {
  window.location.assign(path)
  return new Promise(() => undefined)
}
