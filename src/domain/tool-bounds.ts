// Does a definition stay with its one server? What would lead elsewhere is said here; nothing is ever fetched for it.
import { targetOf } from './json-pointer.ts'
import { isPlainData } from './wire-containers.ts'

type Json = Record<string, unknown>

/** The first thing about it that leads elsewhere, or nowhere. */
export function boundsFault(definition: Json, server: string, paths: readonly string[]): string | undefined {
  if (/[{}]/.test(server)) return `Server variables are not supported: write '${server}' out`
  const astray = paths.find((path) => !path.startsWith('/') || CLIMBS.test(path))
  if (astray !== undefined)
    return `Path '${astray}' does not stay with the server: it must begin with / and hold no . or ..`
  return referencesFault(definition)
}

/** As a whole segment, by itself or percent-encoded; the part of a name does no harm. */
const CLIMBS = /[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i

function referencesFault(definition: Json): string | undefined {
  const ending = new Set<string>()
  for (const reference of referencesIn(definition)) {
    if (!reference.startsWith('#')) return `Only references within the definition are followed, not '${reference}'`
    if (isCircular(definition, reference, ending)) return `The reference '${reference}' leads to itself`
  }
  return undefined
}

/** Each once. Bodies are at most 64 deep, but wide. */
function referencesIn(definition: Json): Set<string> {
  const found = new Set<string>()
  const left: unknown[] = [definition]
  for (let value = left.pop(); value !== undefined || left.length > 0; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const reference = referenceOf(value)
    if (reference !== undefined) found.add(reference)
    for (const it of Object.values(value)) left.push(it)
  }
  return found
}

/**
 * A schema may hold itself, as a tree does; a reference that is only another reference may not come round. `ending`
 * remembers those that do not, so that no chain is walked twice.
 */
function isCircular(definition: Json, start: string, ending: Set<string>): boolean {
  const seen = new Set<string>()
  let at: string | undefined = start
  while (at !== undefined && !ending.has(at)) {
    if (seen.has(at)) return true
    seen.add(at)
    at = referenceOf(targetOf(definition, at))
  }
  for (const it of seen) ending.add(it)
  return false
}

const referenceOf = (value: unknown) =>
  isPlainData(value) && Object.hasOwn(value, '$ref') && typeof value.$ref === 'string' ? value.$ref : undefined
