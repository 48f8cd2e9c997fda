import { existsSync } from 'node:fs'
import { CorruptIndexError } from '../../engine/codec/corrupt-index-error.ts'
import { readManifest } from '../../engine/write/manifest.ts'
import { generationFolder, readGenerationState } from './generation-state.ts'

/** Returns why the index in this folder would be rebuilt when it is opened, or null if it would not. */
export function explainRebuild(dir: string): string | null {
  try {
    const state = readGenerationState(dir)
    if (typeof state === 'string') return REASONS[state]
    return readManifest(generationFolder(dir, state.serving)) === undefined ? REASONS.missing : null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * Returns which record each generation in this folder follows, and its position. Generations that cannot be read are
 * left out; they are rebuilt anyway.
 */
export function readPositions(dir: string): { record: string; position: number }[] {
  const state = existsSync(dir) ? readGenerationState(dir) : 'missing'
  if (typeof state === 'string') return []
  const numbers = state.building === null ? [state.serving] : [state.serving, state.building.generation]
  return numbers.flatMap((number) => readGenerationPosition(generationFolder(dir, number)) ?? [])
}

function readGenerationPosition(folder: string): { record: string; position: number } | undefined {
  try {
    const manifest = readManifest(folder)
    return manifest && { record: manifest.record, position: manifest.position }
  } catch (error) {
    if (error instanceof CorruptIndexError) return undefined
    throw error
  }
}

const REASONS = {
  missing: 'there is no index yet',
  damaged: 'it is damaged',
  other_version: 'it was written by another version of Pharos',
  other_record: 'it follows another record',
}
