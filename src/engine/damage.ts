/** `other_record`: it follows something else. `other_version`: another program, or other settings, made it. */
export type DamageKind = 'damaged' | 'other_record' | 'other_version'

/** A file of the index is damaged, missing or not ours. The index can be filled again; its answers cannot be trusted. */
export class DamageError extends Error {
  override name = 'DamageError'
  readonly kind: DamageKind

  constructor(message: string, { kind = 'damaged', ...options }: ErrorOptions & { kind?: DamageKind } = {}) {
    super(message, options)
    this.kind = kind
  }
}
