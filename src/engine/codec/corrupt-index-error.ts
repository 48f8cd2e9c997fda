/**
 * `other_record`: the index follows another record. `other_version`: another program version or other settings wrote it.
 */
export type CorruptionKind = 'damaged' | 'other_record' | 'other_version'

/** A file of the index is damaged, missing or foreign. Its answers cannot be trusted; the index has to be rebuilt. */
export class CorruptIndexError extends Error {
  override name = 'DamageError'
  readonly kind: CorruptionKind

  constructor(message: string, { kind = 'damaged', ...options }: ErrorOptions & { kind?: CorruptionKind } = {}) {
    super(message, options)
    this.kind = kind
  }
}
