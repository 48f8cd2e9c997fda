// Checks that a folder holds this index, and removes files that do not belong to it.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CorruptIndexError } from '../codec/corrupt-index-error.ts'
import type { Manifest } from './manifest.ts'

interface IndexSettings {
  dir: string
  b: number
  dimensions: readonly string[]
  record?: string
}

/** Throws `CorruptIndexError` if the index was made with other settings or follows another record. */
export function checkIndexSettings(manifest: Manifest, { b, dimensions, record = '', dir }: IndexSettings): void {
  if (manifest.b !== b || manifest.dimensions.join() !== dimensions.join()) {
    throw new CorruptIndexError(`${dir} was made with other settings`, { kind: 'other_version' })
  }
  if (manifest.record !== record) throw new CorruptIndexError(`${dir} follows another record`, { kind: 'other_record' })
}

/** Removes segment files that a crash left behind. */
export function removeUnlistedSegments(dir: string, named: ReadonlySet<string>): void {
  for (const file of readdirSync(dir)) {
    if (file.endsWith('.seg') && !named.has(file)) rmSync(join(dir, file))
  }
}

/**
 * Removes the index from the folder, so that a new one can be created. Vectors are kept and reused for the same texts.
 */
export function removeIndexFiles(dir: string): void {
  for (const file of readdirSync(dir)) {
    if (file.endsWith('.seg') || file.startsWith('manifest')) rmSync(join(dir, file))
  }
}
