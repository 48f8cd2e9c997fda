// Checks that a definition stays with its one server and within a size that can be validated. Never fetches anything.

import { isPlainObject } from '../../wire/containers.ts'
import { resolveJsonPointer } from './json-pointer.ts'

type DefinitionObject = Record<string, unknown>

/** A schema check recurses once per branch, so a list of thousands would exhaust the stack. */
export const MAX_BRANCHES = 100
/** Objects and lists in the whole definition; the largest published ones have about half as many. */
export const MAX_DEFINITION_NODES = 200_000
/** The keywords whose values are lists of alternative or combined schemas. */
export const BRANCHING_KEYWORDS = ['allOf', 'anyOf', 'oneOf'] as const

/** Describes the size limit that the definition exceeds; undefined if it exceeds none. */
export function describeSizeError(definition: DefinitionObject): string | undefined {
  let nodes = 0
  const queue: unknown[] = [definition]
  while (queue.length > 0) {
    const value = queue.pop()
    if (typeof value !== 'object' || value === null) continue
    nodes += 1
    if (nodes > MAX_DEFINITION_NODES) {
      return `the definition has more than ${MAX_DEFINITION_NODES} objects and lists; remove operations or schemas that the tool does not need`
    }
    const keyword = BRANCHING_KEYWORDS.find((it) => Object.hasOwn(value, it) && countBranches(value, it) > MAX_BRANCHES)
    if (keyword !== undefined) {
      return `\`${keyword}\` has ${countBranches(value, keyword)} schemas, and at most ${MAX_BRANCHES} are allowed in one list`
    }
    for (const it of Object.values(value)) queue.push(it)
  }
  return undefined
}

function countBranches(value: object, keyword: (typeof BRANCHING_KEYWORDS)[number]): number {
  const branches: unknown = Reflect.get(value, keyword)
  return Array.isArray(branches) ? branches.length : 0
}

/** Describes the first part that leads to another server or document, or nowhere. */
export function describeBoundsError(
  definition: DefinitionObject,
  server: string,
  paths: readonly string[],
): string | undefined {
  if (/[{}]/.test(server)) return `Server variables are not supported: write '${server}' out`
  const outsidePath = paths.find((path) => !path.startsWith('/') || PATH_TRAVERSAL.test(path))
  if (outsidePath !== undefined)
    return `Path '${outsidePath}' leaves the server: it must start with / and must not contain . or ..`
  return describeReferenceError(definition)
}

/** A complete path segment, plain or percent-encoded; dots within a name are harmless. */
const PATH_TRAVERSAL = /[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i

function describeReferenceError(definition: DefinitionObject): string | undefined {
  const acyclic = new Set<string>()
  for (const reference of collectReferences(definition)) {
    if (!reference.startsWith('#')) return `Only references within the definition are supported, not '${reference}'`
    if (isCircular(definition, reference, acyclic)) return `The reference '${reference}' is circular`
  }
  return undefined
}

/** Each reference once. Bodies are at most 64 levels deep, but wide. */
function collectReferences(definition: DefinitionObject): Set<string> {
  const found = new Set<string>()
  const queue: unknown[] = [definition]
  for (let value = queue.pop(); value !== undefined || queue.length > 0; value = queue.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const reference = referenceOf(value)
    if (reference !== undefined) found.add(reference)
    for (const it of Object.values(value)) queue.push(it)
  }
  return found
}

/**
 * A schema may contain itself, as a tree does, but a chain of references must not be a cycle. `acyclic` caches
 * references that are known to end, so that no chain is walked twice.
 */
function isCircular(definition: DefinitionObject, start: string, ending: Set<string>): boolean {
  const seen = new Set<string>()
  let at: string | undefined = start
  while (at !== undefined && !ending.has(at)) {
    if (seen.has(at)) return true
    seen.add(at)
    at = referenceOf(resolveJsonPointer(definition, at))
  }
  for (const it of seen) ending.add(it)
  return false
}

const referenceOf = (value: unknown) =>
  isPlainObject(value) && Object.hasOwn(value, '$ref') && typeof value.$ref === 'string' ? value.$ref : undefined
