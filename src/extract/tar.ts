import { parseTar } from 'nanotar'
import { checkDepth, nameFault, skip } from './archive.ts'
import { Ended, type Reader, spend } from './reading.ts'

const DIRECTORIES = new Set([
  'directory',
  'globalExtendedHeader',
  'extendedHeader',
  'gnuLongFileName',
  'gnuLongLinkName',
])

export const readTar: Reader = async (reading) => {
  checkDepth(reading)
  // The library looks at the whole of the memory that a Buffer is a part of.
  const members = parseTar(new Uint8Array(reading.bytes))
  if (members.length === 0) throw new Ended('damaged', 'There is no readable member in this archive.')
  for (const { name, type, data, size } of members) {
    if (type !== undefined && DIRECTORIES.has(type)) continue
    spend(reading.budget, 'members')
    const fault = nameFault(name)
    if (type !== undefined && type !== 'file' && type !== 'contiguousFile') skip(reading, name, linkOr(type))
    else if (fault !== null) skip(reading, name, fault)
    else if (data === undefined || data.length < size) skip(reading, name, 'damaged (the archive ends within it)')
    else await reading.part(name, Buffer.from(data.buffer, data.byteOffset, data.byteLength))
  }
}

const linkOr = (type: string): string => (/link/i.test(type) ? 'a link' : 'not a file')
