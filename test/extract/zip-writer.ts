// Writes valid and manipulated ZIP and TAR archives.
import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  name: string
  data: string | Buffer
  /** Unix mode with type bits. */
  mode?: number
  encrypted?: boolean
  /** Overrides for header fields. */
  claimedSize?: number
  stored?: boolean
}

const written = new WeakMap<Buffer, readonly ZipEntry[]>()
/** The member as passed to `zip`. */
export const entriesOf = (archive: Buffer): readonly ZipEntry[] | undefined => written.get(archive)

export function zip(entries: readonly ZipEntry[] | Readonly<Record<string, string | Buffer>>): Buffer {
  const list = Array.isArray(entries)
    ? (entries as ZipEntry[])
    : Object.entries(entries).map(([name, data]) => ({ name, data }))
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const entry of list as ZipEntry[]) {
    const data = Buffer.from(entry.data as Buffer)
    const packed = entry.stored === true ? data : deflateRawSync(data)
    const name = Buffer.from(entry.name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(0x800 | (entry.encrypted === true ? 1 : 0), 2)
    common.writeUInt16LE(entry.stored === true ? 0 : 8, 4)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(entry.claimedSize ?? data.length, 18)
    common.writeUInt16LE(name.length, 22)
    locals.push(Buffer.from('PK\x03\x04'), common, name, packed)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(((entry.mode ?? 0) << 16) >>> 0, 6)
    tail.writeUInt32LE(offset, 10)
    // The directory entry repeats the header, after the writer's version (3 is Unix) and before the member's offset.
    centrals.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, tail, name)
    offset += 30 + name.length + packed.length
  }
  const directory = Buffer.concat(centrals)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(list.length, 4)
  end.writeUInt16LE(list.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  const archive = Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
  written.set(archive, list)
  return archive
}

export interface TarEntry {
  name: string
  data?: string
  /** `0` file, `1` hard link, `2` symbolic link, `6` fifo. */
  type?: string
  link?: string
}

export function tar(entries: readonly TarEntry[]): Buffer {
  const blocks: Buffer[] = []
  for (const { name, data = '', type = '0', link = '' } of entries) {
    const header = Buffer.alloc(512)
    const bytes = Buffer.from(data)
    header.write(name, 0, 100)
    header.write('0000644\0', 100)
    header.write('0000000\0', 108)
    header.write('0000000\0', 116)
    header.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('00000000000\0', 136)
    header.write('        ', 148)
    header.write(type, 156)
    header.write(link, 157, 100)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((all, byte) => all + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    blocks.push(header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512))
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}
