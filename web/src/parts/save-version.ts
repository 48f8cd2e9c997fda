// Saves a change to the version that the person has seen. If another person changed the thing meanwhile, nothing is
// overwritten unseen.
import { ApiError } from '../../../src/client/api.ts'

interface VersionedSave<T, R> {
  seen: T
  save: (seen: T) => Promise<R>
  /** Reads what is stored now. */
  read: () => Promise<T>
  /** Whether the page shows both alike. */
  isSame: (one: T, other: T) => boolean
}

/** `current` is what another person saved. */
export type VersionedResult<T, R> = { state: 'saved'; saved: R } | { state: 'overtaken'; current: T }

export async function saveVersion<T, R>({
  seen,
  save,
  read,
  isSame,
}: VersionedSave<T, R>): Promise<VersionedResult<T, R>> {
  try {
    return { state: 'saved', saved: await save(seen) }
  } catch (error) {
    if (!isChangedMeanwhile(error)) throw error
    const current = await read()
    if (!isSame(seen, current)) return { state: 'overtaken', current }
    return { state: 'saved', saved: await save(current) }
  }
}

const isChangedMeanwhile = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && (error.error_code ?? '').endsWith('_CHANGED')

/** The person's changes on top of what is stored: `mine` where it differs from what the person saw. */
export function mergeChanges<T extends object>(seen: T, mine: T, current: T): T {
  const merged = { ...current }
  for (const name in mine) if (JSON.stringify(seen[name]) !== JSON.stringify(mine[name])) merged[name] = mine[name]
  return merged
}
