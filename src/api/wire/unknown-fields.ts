// Finds fields that the schema of a request does not know, and the known fields that they resemble. See docs/wire.md.
import { z } from 'zod'
import { isPlainObject } from '../../wire/containers.ts'
import { isCompatibilityField } from './compatibility-fields.ts'
import { similarFields } from './similar-fields.ts'

export interface UnknownField {
  loc: (string | number)[]
  /** Similar fields of the same object that were not sent. */
  suggestions: readonly string[]
  /** The fields of a strict object; null if the object ignores unknown fields. */
  allowedFields: readonly string[] | null
}

export interface UnknownFields {
  /** In the order of the input. A field that repeats in the objects of a list is listed once. */
  fields: readonly UnknownField[]
  /** More unknown fields exist that were not examined. */
  hasMore: boolean
}

/** Different names per request. More than this are not spelling mistakes. */
const MAX_NAMES = 500
const MAX_FOUND = 1_000
const MAX_SUGGESTIONS = 3

/** `ignoredFields` of the outermost object are no spelling mistakes, like compatibility fields. */
export function findUnknownFields(
  schema: z.core.$ZodType,
  input: unknown,
  { root, ignoredFields = [] }: { root: readonly string[]; ignoredFields?: readonly string[] | undefined },
): UnknownFields {
  const walk = walkerFor(schema, ignoredFields)
  if (walk === null) return { fields: [], hasMore: false }
  const search: FieldSearch = {
    found: [],
    reportedKeys: new Map(),
    similarByShape: new Map(),
    comparedNames: 0,
    hasMore: false,
  }
  walk(input, root, search)
  return { fields: search.found.map((it) => it.field), hasMore: search.hasMore }
}

interface FoundField {
  shape: ObjectShape
  key: string
  field: UnknownField
}

interface FieldSearch {
  found: FoundField[]
  /** Names of ignored fields that were already reported, by object shape. */
  reportedKeys: Map<ObjectShape, Set<string>>
  /** Similar fields of each name, by object shape. */
  similarByShape: Map<ObjectShape, Map<string, readonly string[]>>
  comparedNames: number
  hasMore: boolean
}
type Loc = readonly (string | number)[]
type ObjectShape = Readonly<Record<string, z.core.$ZodType>>
type FieldWalker = (value: unknown, loc: Loc, search: FieldSearch) => void

const walkers = new WeakMap<z.core.$ZodType, { walk: FieldWalker | null }>()

/** Null if the schema contains no object with known fields. */
function walkerFor(schema: z.core.$ZodType, ignoredFields: readonly string[] = []): FieldWalker | null {
  const known = walkers.get(schema)
  if (known !== undefined) return known.walk
  // Recursive schemas find this entry.
  const entry: { walk: FieldWalker | null } = { walk: (value, loc, finding) => entry.walk?.(value, loc, finding) }
  walkers.set(schema, entry)
  entry.walk = createWalker(definitionOf(schema), schema, ignoredFields)
  return entry.walk
}

/** Zod exports its kinds of schemas as a union, to which only a cast leads. */
export const definitionOf = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def

function createWalker(
  def: z.core.$ZodTypes['_zod']['def'],
  schema: z.core.$ZodType,
  ignoredFields: readonly string[],
): FieldWalker | null {
  switch (def.type) {
    case 'object':
      return objectWalker(def, schemaIdOf(schema), ignoredFields)
    case 'array':
      return listWalker(walkerFor(def.element))
    case 'record':
      return recordWalker(walkerFor(def.valueType))
    case 'union':
      return unionWalker(def.options.map((it) => walkerFor(it)).filter((it) => it !== null))
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return walkerFor(def.innerType, ignoredFields)
    case 'pipe':
      return walkerFor(def.in, ignoredFields)
    case 'lazy':
      return walkerFor(def.getter(), ignoredFields)
  }
  return null
}

const schemaIdOf = (schema: z.core.$ZodType) => z.globalRegistry.get(schema)?.id

interface ObjectKind {
  shape: ObjectShape
  isClosed: boolean
  id: string | undefined
  ignoredFields: readonly string[]
}

function objectWalker(
  { shape, catchall }: z.core.$ZodObjectDef,
  id: string | undefined,
  ignoredFields: readonly string[],
): FieldWalker {
  const walkersByKey = new Map(Object.entries(shape).flatMap(([key, schema]) => walkerEntry(key, walkerFor(schema))))
  const isClosed = catchall?._zod.def.type === 'never'
  const acceptsAnyKey = catchall !== undefined && !isClosed
  return (value, loc, search) => {
    if (!isPlainObject(value)) return
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(shape, key)) walkersByKey.get(key)?.(value[key], [...loc, key], search)
      else if (!acceptsAnyKey) recordUnknown(search, { shape, isClosed, id, ignoredFields }, { key, value, loc })
    }
  }
}

const walkerEntry = (key: string, walk: FieldWalker | null): [string, FieldWalker][] =>
  walk === null ? [] : [[key, walk]]

function recordUnknown(
  search: FieldSearch,
  kind: ObjectKind,
  { key, value, loc }: { key: string; value: object; loc: Loc },
): void {
  const similar = similarNames(search, kind, key)
  if (similar === null) return
  const meant = similar.filter((it) => !Object.hasOwn(value, it)).slice(0, MAX_SUGGESTIONS)
  const onlyFields = kind.isClosed ? Object.keys(kind.shape) : null
  addFound(search, {
    shape: kind.shape,
    key,
    field: { loc: [...loc, key], suggestions: meant, allowedFields: onlyFields },
  })
}

/** Compares each name once. Null if there were too many names. */
function similarNames(search: FieldSearch, kind: ObjectKind, key: string): readonly string[] | null {
  const { shape, isClosed, id, ignoredFields } = kind
  const similarByKey = getOrCreate(search.similarByShape, shape, () => new Map<string, readonly string[]>())
  const known = similarByKey.get(key)
  if (known !== undefined) return known
  if (search.comparedNames >= MAX_NAMES) {
    search.hasMore = true
    return null
  }
  search.comparedNames += 1
  const isIgnored = ignoredFields.includes(key) || isCompatibilityField(id, key)
  const resembled = !isClosed && isIgnored ? [] : similarFields(key, Object.keys(shape))
  similarByKey.set(key, resembled)
  return resembled
}

function getOrCreate<V>(map: Map<ObjectShape, V>, shape: ObjectShape, create: () => V): V {
  const known = map.get(shape)
  if (known !== undefined) return known
  const value = create()
  map.set(shape, value)
  return value
}

/** Reports an ignored field once for all objects of a list. */
function addFound({ found, reportedKeys }: FieldSearch, it: FoundField): void {
  if (found.length >= MAX_FOUND) return
  if (it.field.suggestions.length === 0) {
    const keys = getOrCreate(reportedKeys, it.shape, () => new Set<string>())
    if (keys.has(it.key)) return
    keys.add(it.key)
  }
  found.push(it)
}

function listWalker(walk: FieldWalker | null): FieldWalker | null {
  if (walk === null) return null
  return (value, loc, search) => {
    if (!Array.isArray(value)) return
    for (const [index, item] of value.entries()) walk(item, [...loc, index], search)
  }
}

function recordWalker(walk: FieldWalker | null): FieldWalker | null {
  if (walk === null) return null
  return (value, loc, search) => {
    if (!isPlainObject(value)) return
    for (const key of Object.keys(value)) walk(value[key], [...loc, key], search)
  }
}

/** Uses the branch with the fewest unknown fields. */
function unionWalker(branches: readonly FieldWalker[]): FieldWalker | null {
  const [first, ...others] = branches
  if (first === undefined || others.length === 0) return first ?? null
  return (value, loc, search) => {
    let best: FieldSearch | undefined
    for (const walk of branches) {
      const attempt: FieldSearch = { ...search, found: [], reportedKeys: new Map() }
      walk(value, loc, attempt)
      search.comparedNames = attempt.comparedNames
      search.hasMore ||= attempt.hasMore
      if (best === undefined || attempt.found.length < best.found.length) best = attempt
      if (best.found.length === 0) return
    }
    for (const it of best?.found ?? []) addFound(search, it)
  }
}
