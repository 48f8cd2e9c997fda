import { readManifest } from '../engine/manifest.ts'
import { folderOf, readState } from './generation-state.ts'

/** Why the index of that folder would be filled anew when it is opened, or null if it would not. */
export function whyRebuilt(dir: string): string | null {
  try {
    const state = readState(dir)
    if (typeof state === 'string') return REASONS[state]
    return readManifest(folderOf(dir, state.serving)) === undefined ? REASONS.missing : null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const REASONS = {
  missing: 'there is none yet',
  damaged: 'it is damaged',
  other_version: 'another version of this program made it',
  other_record: 'it follows another record',
}
