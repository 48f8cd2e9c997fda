// Reads mail attachments as parts.
import { warnMemberSkipped } from '../archive/archive.ts'
import { chargeBudget, ReadEnded, type ReaderContext } from '../reader.ts'

export async function readAttachments(
  context: ReaderContext,
  parts: Iterable<{ name: string; bytes: Buffer }>,
): Promise<void> {
  const { budget, depth } = context
  for (const { name, bytes } of parts) {
    chargeBudget(budget, 'members')
    budget.decoded += bytes.length
    if (budget.decoded > budget.limits.decodedBytes) throw new ReadEnded('limit', 'decodedBytes')
    if (depth >= budget.limits.depth) {
      warnMemberSkipped(context, name, 'it exceeds the nesting limit')
      context.warn('limit_hit', 'depth')
    } else
      await context.part(
        name
          .replace(/[\0-\x1f]/g, ' ')
          .slice(0, 1_000)
          .toWellFormed(),
        bytes,
      )
  }
}
