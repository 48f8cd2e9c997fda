// The attachments of a message, as documents of their own.
import { skip } from './archive.ts'
import { Ended, type Reading, spend } from './reading.ts'

export async function readParts(reading: Reading, parts: Iterable<{ name: string; bytes: Buffer }>): Promise<void> {
  const { budget, depth } = reading
  for (const { name, bytes } of parts) {
    spend(budget, 'members')
    budget.decoded += bytes.length
    if (budget.decoded > budget.limits.decodedBytes) throw new Ended('limit', 'decodedBytes')
    if (depth >= budget.limits.depth) {
      skip(reading, name, 'it lies deeper than the limit')
      reading.warn('limit_hit', 'depth')
    } else
      await reading.part(
        name
          .replace(/[\0-\x1f]/g, ' ')
          .slice(0, 1_000)
          .toWellFormed(),
        bytes,
      )
  }
}
