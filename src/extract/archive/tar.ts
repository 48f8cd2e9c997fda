import { parseTar } from 'nanotar'
import { chargeBudget, type FormatReader, ReadEnded } from '../reader.ts'
import { checkArchiveDepth, unsafeNameReason, warnMemberSkipped } from './archive.ts'

const NON_FILE_TYPES = new Set([
  'directory',
  'globalExtendedHeader',
  'extendedHeader',
  'gnuLongFileName',
  'gnuLongLinkName',
])

export const readTar: FormatReader = async (context) => {
  checkArchiveDepth(context)
  // Copied, because the library reads the whole ArrayBuffer behind a Buffer.
  const members = parseTar(new Uint8Array(context.bytes))
  if (members.length === 0) throw new ReadEnded('damaged', 'The archive has no readable member.')
  for (const { name, type, data, size } of members) {
    if (type !== undefined && NON_FILE_TYPES.has(type)) continue
    chargeBudget(context.budget, 'members')
    const unsafeReason = unsafeNameReason(name)
    if (type !== undefined && type !== 'file' && type !== 'contiguousFile')
      warnMemberSkipped(context, name, describeType(type))
    else if (unsafeReason !== null) warnMemberSkipped(context, name, unsafeReason)
    else if (data === undefined || data.length < size)
      warnMemberSkipped(context, name, 'damaged (the archive ends within it)')
    else await context.part(name, Buffer.from(data.buffer, data.byteOffset, data.byteLength))
  }
}

const describeType = (type: string): string => (/link/i.test(type) ? 'a link' : 'not a file')
