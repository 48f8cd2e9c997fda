// Is what lies in the folder this index, and what of it is left over?
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DamageError } from './damage.ts'
import type { Manifest } from './manifest.ts'

interface Basis {
  dir: string
  b: number
  dimensions: readonly string[]
  record?: string
}

/** Throws `DamageError` when the index was made otherwise, or of something else. */
export function checkBasis(manifest: Manifest, { b, dimensions, record = '', dir }: Basis): void {
  if (manifest.b !== b || manifest.dimensions.join() !== dimensions.join()) {
    throw new DamageError(`${dir} was made with other settings`, { kind: 'other_version' })
  }
  if (manifest.record !== record) throw new DamageError(`${dir} follows another record`, { kind: 'other_record' })
}

/** What a crash left half done. */
export function removeOthers(dir: string, named: ReadonlySet<string>): void {
  for (const file of readdirSync(dir)) {
    if (file.endsWith('.seg') && !named.has(file)) rmSync(join(dir, file))
  }
}

/** Takes away what an index kept in the folder, so that a new one can begin. Vectors stay for the texts that come back. */
export function clearIndex(dir: string): void {
  for (const file of readdirSync(dir)) {
    if (file.endsWith('.seg') || file.startsWith('manifest')) rmSync(join(dir, file))
  }
}
