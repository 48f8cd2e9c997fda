// The language and the time zone of the pages. They hold until the page is loaded again, which the
// choice of another language does.

/** Languages with a file of texts in this folder. English first: it is shown where no other fits. */
export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

/** As its speakers call it. */
export const nameOfLanguage = (it: Language): string => new Intl.DisplayNames(it, { type: 'language' }).of(it) ?? it

const LANGUAGE_KEY = 'pharos-language'
const TIME_ZONE_KEY = 'pharos-time-zone'

export const isLanguage = (it: string): it is Language => LANGUAGES.some((language) => language === it)
/** Tests of single functions run without a browser. */
const isBrowser = 'document' in globalThis
const stored = (key: string): string | null => (isBrowser ? localStorage.getItem(key) : null)

/** The first language of the browser that has texts: `de-AT` is German. */
export function preferredLanguage(wanted: readonly string[]): Language {
  return wanted.map((it) => it.toLowerCase().split('-', 1)[0] ?? '').find(isLanguage) ?? 'en'
}

/** The choice of the person in this browser; null if the browser decides. */
export const chosenLanguage = (): Language | null => {
  const chosen = stored(LANGUAGE_KEY)
  return chosen !== null && isLanguage(chosen) ? chosen : null
}
export const chosenTimeZone = (): string | null => {
  const chosen = stored(TIME_ZONE_KEY)
  return chosen !== null && isTimeZone(chosen) ? chosen : null
}

export const language: Language = chosenLanguage() ?? preferredLanguage(isBrowser ? navigator.languages : [])
export const timeZone: string = chosenTimeZone() ?? new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Both take effect when the page is loaded again. Null lets the browser decide. */
export const chooseLanguage = (it: Language | null): void => store(LANGUAGE_KEY, it)
export const chooseTimeZone = (it: string | null): void => store(TIME_ZONE_KEY, it)

function store(key: string, value: string | null): void {
  if (value === null) localStorage.removeItem(key)
  else localStorage.setItem(key, value)
}

export function isTimeZone(it: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: it })
    return true
  } catch {
    return false
  }
}
