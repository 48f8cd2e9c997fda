// Reads a ZIP file in memory. Member streams are limited against decompression bombs.
import type { Readable } from 'node:stream'
import yauzl from 'yauzl'
import { checkDeadline, type ExtractBudget, ReadEnded } from '../reader.ts'
import { decodeWith } from '../text/decode-text.ts'
import { createXmlParser, type XmlHandlers } from '../xml/xml-parser.ts'

export interface ZipMember {
  name: string
  isEncrypted: boolean
  /** Unix file type bits, 0 if not recorded. */
  unixType: number
  /** Decompresses the member and counts the actual bytes, ignoring the declared size. */
  stream(): AsyncGenerator<Buffer>
}

export interface ZipFile {
  members: ZipMember[]
  /** Some programs write names of packages with backslashes or in lower case. An exact name comes first. */
  find(name: string): ZipMember | undefined
}

const RATIO_CHECK_FROM_BYTES = 10 << 20

export async function openZip(bytes: Buffer, budget: ExtractBudget): Promise<ZipFile> {
  const zip = await yauzl.fromBufferPromise(withoutWrongComment(bytes), { decodeStrings: false, lazyEntries: true })
  const members: ZipMember[] = []
  const byName = new Map<string, ZipMember>()
  const byLooseName = new Map<string, ZipMember>()
  for await (const entry of zip.eachEntry()) {
    // Limits the listing. Reading members has its own limit.
    if (members.length > MAX_LISTED_MEMBERS) throw new ReadEnded('limit', 'members')
    const member = toZipMember(zip, entry, budget)
    members.push(member)
    if (!byName.has(member.name)) byName.set(member.name, member)
    const loose = looseName(member.name)
    if (!byLooseName.has(loose)) byLooseName.set(loose, member)
  }
  return { members, find: (name) => byName.get(name) ?? byLooseName.get(looseName(name)) }
}

const looseName = (name: string): string => name.replaceAll('\\', '/').toLowerCase()

const [END_MARK, END_LENGTH, MAX_COMMENT] = [Buffer.from('PK\x05\x06', 'latin1'), 22, 0xffff]

/** Programs open files whose comment is cut off, or that have further bytes behind it. */
function withoutWrongComment(bytes: Buffer): Buffer {
  const from = Math.max(0, bytes.length - END_LENGTH - MAX_COMMENT)
  const at = bytes.subarray(from).lastIndexOf(END_MARK) + from
  const end = at + END_LENGTH
  if (at < from || end > bytes.length || bytes.readUInt16LE(end - 2) === bytes.length - end) return bytes
  const shorter = Buffer.from(bytes.subarray(0, end))
  shorter.writeUInt16LE(0, end - 2)
  return shorter
}

const MAX_LISTED_MEMBERS = 100_000

function toZipMember(zip: yauzl.ZipFile, entry: yauzl.Entry, budget: ExtractBudget): ZipMember {
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
      if (entry.isEncrypted()) throw new ReadEnded('password', `${name} is encrypted.`)
      yield* limitUnpacked(await zip.openReadStreamPromise(entry), entry.compressedSize, budget)
    },
  }
}

/** Throws at the total decompression limit and at an implausible compression ratio. */
export async function* limitUnpacked(
  stream: Readable,
  packedBytes: number,
  budget: ExtractBudget,
): AsyncGenerator<Buffer> {
  const { limits } = budget
  let unpackedBytes = 0
  try {
    for await (const chunk of stream) {
      checkDeadline(budget)
      unpackedBytes += chunk.length
      budget.decoded += chunk.length
      if (budget.decoded > limits.decodedBytes) throw new ReadEnded('limit', 'decodedBytes')
      if (unpackedBytes > RATIO_CHECK_FROM_BYTES && unpackedBytes > packedBytes * limits.ratio)
        throw new ReadEnded('limit', 'ratio')
      yield chunk
    }
  } finally {
    stream.destroy()
  }
}

export async function memberBytes(member: ZipMember): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of member.stream()) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Streams the member, so that a large sheet is never in memory as a whole. */
export async function parseXmlMember(member: ZipMember, events: XmlHandlers): Promise<void> {
  const parser = createXmlParser(events)
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const chunk of member.stream()) {
    decoder ??= new TextDecoder(detectXmlEncoding(chunk))
    parser.write(decoder.decode(chunk, { stream: true }))
  }
  parser.write(decoder?.decode() ?? '')
  parser.end()
}

function detectXmlEncoding(chunk: Buffer): string {
  if (chunk[0] === 0xff && chunk[1] === 0xfe) return 'utf-16le'
  if (chunk[0] === 0xfe && chunk[1] === 0xff) return 'utf-16be'
  return 'utf-8'
}

export const memberText = async (member: ZipMember): Promise<string> => decodeWith('utf-8', await memberBytes(member))
