import { posix } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createTarDecoder } from 'modern-tar'
import { chargeBudget, type FormatReader, ReadEnded } from '../reader.ts'
import { checkArchiveDepth, unsafeNameReason, warnMemberSkipped } from './archive.ts'

export const readTar: FormatReader = async (context) => {
  checkArchiveDepth(context)
  let hasMembers = false
  for await (const { header, body } of ReadableStream.from([context.bytes]).pipeThrough(createTarDecoder())) {
    hasMembers = true
    const { type, size } = header
    if (type === 'directory') continue
    chargeBudget(context.budget, 'members')
    const name = pathInArchive(header.name)
    const reason = type === 'file' ? unsafeNameReason(name) : describeType(type)
    if (reason === null) {
      const bytes = await buffer(body)
      if (bytes.length < size) throw new ReadEnded('damaged', 'The archive ends within its last member.')
      await context.part(name, bytes)
    } else {
      warnMemberSkipped(context, name, reason)
      await body.cancel()
    }
  }
  if (!hasMembers) throw new ReadEnded('damaged', 'The archive has no readable member.')
}

/** Absolute paths, drives and steps upwards are common in TAR files. They lead to the root of the archive. */
function pathInArchive(name: string): string {
  const path = name.replaceAll('\\', '/').replace(/^[a-z]:\//i, '')
  const inside = posix.normalize(`/${path}`).slice(1)
  return path.startsWith('./') ? `./${inside}` : inside
}

const describeType = (type: string | undefined): string =>
  type === 'link' || type === 'symlink' ? 'a link' : 'not a file'
