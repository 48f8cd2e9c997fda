// What a reference within a definition names, after RFC 6901, 4 and 6.

/** Undefined for what is not there, or elsewhere. */
export function targetOf(definition: object, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined
  const names = unescaped(reference.slice(1)).split('/').slice(1)
  return names
    .map((it) => it.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, name) => (isParent(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      definition,
    )
}

const isParent = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function unescaped(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
