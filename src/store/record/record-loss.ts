// Compares a record with what was known of it.

import type { RecordFile, RecordLoss } from './record-file.ts'
import type { RecordCounters } from './record-file-head.ts'
import type { RecordVersion } from './record-identity.ts'

/** An index knows the identity of its record and the position up to which it has followed. */
export interface IndexPosition {
  record: string
  position: number
}

/** Describes in a sentence what the record lacks; null when nothing is missing. */
export function findRecordLoss(
  known: RecordFile | null,
  held: RecordVersion,
  followed: readonly IndexPosition[],
): Omit<RecordLoss, 'at'> | null {
  // A record with an already reported loss gets a new identity.
  if (known !== null && known.id !== null && known.id !== held.id) {
    return known.lost.length > 0 ? null : { what: 'replaced', reason: replacedReason(held, known) }
  }
  const bounds = known?.id == null ? { changes: 0, commits: 0 } : known
  const positions = followed.filter((it) => it.record === held.id).map((it) => it.position)
  const changes = Math.max(bounds.changes, ...positions)
  if (held.changes >= changes && held.commits >= bounds.commits) return null
  return { what: 'incomplete', reason: incompleteReason(held, { changes, commits: bounds.commits }) }
}

const replacedReason = (held: RecordVersion, known: RecordCounters) =>
  `The database holds a different record than the one that DATA_DIR belongs to: that one had ${known.changes} document changes, this one has ${held.changes}.`

function incompleteReason(held: RecordCounters, bound: RecordCounters): string {
  const [first, last] = [held.changes + 1, bound.changes]
  const writes = Math.max(0, bound.commits - held.commits)
  const parts = [
    ...(last >= first ? [`document changes ${first} to ${last} (${last - first + 1})`] : []),
    ...(writes > 0 ? [`${writes} of ${bound.commits} transactions`] : []),
  ]
  return `The database has lost acknowledged writes: at least ${parts.join(' and ')} are missing.`
}
