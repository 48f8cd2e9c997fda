// Makes untrusted titles and links safe to display. The stored values stay unchanged.

/**
 * Controls that change the display order of text:
 * https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
 */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A title without bidi controls: a file "annual<U+202E>fdp.exe" is displayed as "annualexe.pdf". */
export const displayTitle = (title: string): string => title.replace(BIDI_CONTROLS, '')

/** Null for a link with a user name or password: "https://bank.example@evil.example/" leads to evil.example. */
export function displayLink(link: string | null): string | null {
  const url = link === null ? null : URL.parse(link)
  return url !== null && (url.username !== '' || url.password !== '') ? null : link
}
