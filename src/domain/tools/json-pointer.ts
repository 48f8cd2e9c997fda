// Resolves a JSON Pointer within a definition: RFC 6901, 4 and 6.

/** Undefined if the target does not exist or is in another document. */
export function resolveJsonPointer(definition: object, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined
  const names = decodeFragment(reference.slice(1)).split('/').slice(1)
  return names
    .map((it) => it.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, name) => (isContainer(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      definition,
    )
}

const isContainer = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
