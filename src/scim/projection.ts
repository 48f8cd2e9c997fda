// Leaves attributes out of a resource, as `attributes` and `excludedAttributes` ask (RFC 7644, 3.9).
import { isObject } from './attributes.ts'

const ALWAYS = new Set(['schemas', 'id'])
const SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/

export interface Projection {
  /** Names in lower case; null for all. */
  only: readonly string[] | null
  without: readonly string[]
}

export const readProjection = (attributes: string | null, excluded: string | null): Projection => ({
  only: attributes === null ? null : listNames(attributes),
  without: excluded === null ? [] : listNames(excluded),
})

const listNames = (text: string): string[] =>
  text
    .split(',')
    .map((it) => it.trim().toLowerCase().replace(SCHEMA, ''))
    .filter((it) => it !== '')

export const isWanted = (name: string, { only, without }: Projection): boolean =>
  !without.includes(name) && (only === null || only.some((it) => it === name || it.startsWith(`${name}.`)))

export const project = (resource: object, projection: Projection): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(resource).flatMap(([name, value]) => {
      const key = name.toLowerCase()
      if (ALWAYS.has(key)) return [[name, value]]
      return isWanted(key, projection) ? [[name, projectParts(key, value, projection)]] : []
    }),
  )

function projectParts(key: string, value: unknown, { only, without }: Projection): unknown {
  const isAsked = (part: string) => {
    const path = `${key}.${part.toLowerCase()}`
    return !without.includes(path) && (only === null || only.includes(key) || only.includes(path))
  }
  const pick = (it: unknown) =>
    isObject(it) ? Object.fromEntries(Object.entries(it).filter(([part]) => isAsked(part))) : it
  return Array.isArray(value) ? value.map(pick) : pick(value)
}
