/** A file of the index is damaged, missing or not ours. The index can be filled again; its answers cannot be trusted. */
export class DamageError extends Error {
  override name = 'DamageError'
}
