// The program and the system of a User-Agent header, as people call them. Browsers send the names of others too, so the
// order of the lists decides.

import { textsOf } from '../text/texts.ts'

const PROGRAMS: [token: string, name: string][] = [
  ['EdgA/', 'Edge'],
  ['EdgiOS/', 'Edge'],
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Vivaldi/', 'Vivaldi'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['FxiOS/', 'Firefox'],
  ['Firefox/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['HeadlessChrome/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['curl/', 'curl'],
  ['python-requests/', 'Python requests'],
]
const SYSTEMS: [token: string, name: string][] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['CrOS', 'ChromeOS'],
  ['Macintosh', 'macOS'],
  ['Linux', 'Linux'],
]
const MAX_SHOWN = 80

/** "Firefox 140 on Windows"; the beginning of the text if the program is not known. */
export function readUserAgent(text: string | null): string {
  if (text === null || text.trim() === '') return textsOf('parts.sessions')('not_known')
  const program = programOf(text)
  if (program === undefined) return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  const system = SYSTEMS.find(([token]) => text.includes(token))?.[1]
  return system === undefined ? program : textsOf('parts.sessions')('program_on_system', { program, system })
}

function programOf(text: string): string | undefined {
  const found = PROGRAMS.find(([token]) => text.includes(token))
  if (found !== undefined) return withVersion(found[1], text, found[0])
  // Safari has its version elsewhere, and every other browser of its family is in the list.
  return text.includes('Safari/') && text.includes('Version/') ? withVersion('Safari', text, 'Version/') : undefined
}

/** The major version alone: browsers freeze the rest. */
function withVersion(name: string, text: string, token: string): string {
  const at = text.indexOf(token) + token.length
  const version = /^\d{1,6}/.exec(text.slice(at))?.[0]
  return version === undefined ? name : `${name} ${version}`
}
