// The choices of a person for the pages. Null leaves a choice to the browser.
export const THEMES = ['system', 'light', 'dark'] as const
export const DENSITIES = ['comfortable', 'compact'] as const

export interface Preferences {
  /** A BCP 47 tag, such as `de`. */
  language: string | null
  /** A name of the IANA time zone database, such as `Europe/Berlin`. */
  time_zone: string | null
  theme: (typeof THEMES)[number] | null
  density: (typeof DENSITIES)[number] | null
}

export type PreferencesUpdate = { [Name in keyof Preferences]?: Preferences[Name] | undefined }

export const NO_PREFERENCES: Preferences = { language: null, time_zone: null, theme: null, density: null }

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
