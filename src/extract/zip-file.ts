// A ZIP in memory: what it holds, and its members as streams that a bomb cannot overrun.
import type { Readable } from 'node:stream'
import yauzl from 'yauzl'
import { decodeAs } from './decode-text.ts'
import { type Budget, checkTime, Ended } from './reading.ts'
import { type XmlEvents, xmlFeed } from './xml-events.ts'

export interface ZipMember {
  name: string
  isEncrypted: boolean
  /** The file type bits of Unix; 0 where the writer knew none. */
  unixType: number
  /** Unpacks; counts what comes out, whatever the headers claim. */
  stream(): AsyncGenerator<Buffer>
}

export interface ZipFile {
  members: ZipMember[]
  find(name: string): ZipMember | undefined
}

const RATIO_FROM = 10 << 20

export async function openZip(bytes: Buffer, budget: Budget): Promise<ZipFile> {
  const zip = await yauzl.fromBufferPromise(bytes, { decodeStrings: false, lazyEntries: true })
  const members: ZipMember[] = []
  const byName = new Map<string, ZipMember>()
  for await (const entry of zip.eachEntry()) {
    // More than this are not even listed; reading them is bounded by its own count.
    if (members.length > MAX_LISTED) throw new Ended('limit', 'members')
    const member = memberOf(zip, entry, budget)
    members.push(member)
    if (!byName.has(member.name)) byName.set(member.name, member)
  }
  return { members, find: (name) => byName.get(name) }
}

const MAX_LISTED = 100_000

function memberOf(zip: yauzl.ZipFile, entry: yauzl.Entry, budget: Budget): ZipMember {
  const name = yauzl.getFileNameLowLevel(
    entry.generalPurposeBitFlag,
    entry.fileNameRaw,
    entry.extraFields ?? yauzl.parseExtraFields(entry.extraFieldRaw),
    false,
  )
  return {
    name,
    isEncrypted: entry.isEncrypted(),
    unixType: (entry.externalFileAttributes >>> 16) & 0o170000,
    async *stream() {
      if (entry.isEncrypted()) throw new Ended('password', `${name} is encrypted.`)
      yield* counted(await zip.openReadStreamPromise(entry), entry.compressedSize, budget)
    },
  }
}

/** Ends at the limit of what all may unpack to, and at what no honest file packs so tightly. */
export async function* counted(stream: Readable, packed: number, budget: Budget): AsyncGenerator<Buffer> {
  const { limits } = budget
  let unpacked = 0
  try {
    for await (const piece of stream) {
      checkTime(budget)
      unpacked += piece.length
      budget.decoded += piece.length
      if (budget.decoded > limits.decodedBytes) throw new Ended('limit', 'decodedBytes')
      if (unpacked > RATIO_FROM && unpacked > packed * limits.ratio) throw new Ended('limit', 'ratio')
      yield piece
    }
  } finally {
    stream.destroy()
  }
}

export async function bytesOf(member: ZipMember): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of member.stream()) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Piece by piece, so that a sheet of a million rows is never in memory as a whole. */
export async function xmlOf(member: ZipMember, events: XmlEvents): Promise<void> {
  const feed = xmlFeed(events)
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const piece of member.stream()) {
    decoder ??= new TextDecoder(encodingOf(piece))
    feed.write(decoder.decode(piece, { stream: true }))
  }
  feed.write(decoder?.decode() ?? '')
  feed.end()
}

function encodingOf(piece: Buffer): string {
  if (piece[0] === 0xff && piece[1] === 0xfe) return 'utf-16le'
  if (piece[0] === 0xfe && piece[1] === 0xff) return 'utf-16be'
  return 'utf-8'
}

export const textOfMember = async (member: ZipMember): Promise<string> => decodeAs('utf-8', await bytesOf(member))
