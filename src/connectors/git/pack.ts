// Reads Git pack files: https://git-scm.com/docs/pack-format
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createInflate, inflateSync } from 'node:zlib'
import { errorMessage } from '../../domain/values/node-error.ts'
import { createLruCache } from '../../flow/lru-cache.ts'
import { SourceError } from '../connector.ts'

export interface GitObject {
  type: 'commit' | 'tree' | 'blob' | 'tag'
  data: Buffer
}

/** Looks an object up by its id. Undefined if the pack does not contain it, null if it exceeds the size limit. */
export type GitPack = (oid: string) => GitObject | null | undefined

interface PackEntry {
  type: number
  size: number
  /** Offset of the compressed data. */
  start: number
  /** The base object of a delta: an offset in the pack or an object id. */
  base: number | string | null
}

const TYPES: Readonly<Record<number, GitObject['type']>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const [OFFSET_DELTA, REF_DELTA] = [6, 7]
const OID_BYTES = 20
/** Larger files are not indexed. */
const MAX_OBJECT_BYTES = 50 << 20
const MAX_CACHED_BYTES = 64 << 20
const MAX_CHAIN = 5_000
/** Yield to the event loop after this many objects. */
const YIELD_EVERY = 200

export async function openPack(pack: Buffer, signal: AbortSignal): Promise<GitPack> {
  const content = pack.subarray(0, -OID_BYTES)
  const sum = createHash('sha1').update(content).digest()
  if (pack.length < 12 + OID_BYTES || !sum.equals(pack.subarray(-OID_BYTES)))
    throw damagedPack('the checksum does not match')
  if (pack.toString('latin1', 0, 4) !== 'PACK' || pack.readUInt32BE(4) !== 2) throw damagedPack('unsupported version')
  const entries = new Map<number, PackEntry>()
  const large = new Set<string>()
  const count = pack.readUInt32BE(8)
  let at = 12
  for (let done = 0; done < count; done += 1) {
    if (done % YIELD_EVERY === 0) await yieldToEventLoop(signal)
    const entry = readEntryHeader(content, at)
    if (entry.size > MAX_OBJECT_BYTES) {
      const { length, oid } = await skipObject(content, entry, signal)
      large.add(oid)
      at = entry.start + length
    } else {
      entries.set(at, entry)
      // The pack does not store the compressed length, so the data must be inflated to find the next entry.
      at = entry.start + inflateObject(content, entry).length
    }
  }
  return await indexByOid(content, { entries, large }, signal)
}

const damagedPack = (what: string) => new SourceError('unexpected', `The server sent a damaged pack: ${what}.`)

async function yieldToEventLoop(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise((resolve) => setImmediate(resolve))
}

function readEntryHeader(pack: Buffer, offset: number): PackEntry {
  let at = offset
  const next = (): number => {
    const byte = pack[at]
    if (byte === undefined) throw damagedPack('it ends early')
    at += 1
    return byte
  }
  let byte = next()
  const type = (byte >> 4) & 7
  let size = byte & 15
  for (let factor = 16; byte & 128; factor *= 128) {
    byte = next()
    size += (byte & 127) * factor
  }
  if (!Number.isSafeInteger(size)) throw damagedPack('an object has an invalid size')
  if (type === OFFSET_DELTA) {
    byte = next()
    let distance = byte & 127
    while (byte & 128) {
      byte = next()
      distance = (distance + 1) * 128 + (byte & 127)
    }
    return { type, size, base: offset - distance, start: at }
  }
  if (type === REF_DELTA) {
    return { type, size, base: pack.toString('hex', at, at + OID_BYTES), start: at + OID_BYTES }
  }
  if (TYPES[type] === undefined) throw damagedPack(`unknown object type ${type}`)
  return { type, size, base: null, start: at }
}

function inflateObject(pack: Buffer, { start, size }: PackEntry): { data: Buffer; length: number } {
  try {
    const options = { info: true, maxOutputLength: Math.max(size, 1) }
    // The type declarations omit the result of `info: true`.
    const { buffer, engine } = inflateSync(pack.subarray(start), options) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    if (buffer.length !== size) throw damagedPack('an object does not have its declared size')
    return { data: buffer, length: engine.bytesWritten }
  } catch (error) {
    if (error instanceof SourceError) throw error
    throw damagedPack(errorMessage(error))
  }
}

/** Finds the end of an object that is too large to keep. Deltas have no id of their own. */
async function skipObject(
  pack: Buffer,
  { type, size, start }: PackEntry,
  signal: AbortSignal,
): Promise<{ length: number; oid: string }> {
  if (size > MAX_SKIPPED_BYTES) throw damagedPack(`an object of ${size} bytes`)
  const hash = createHash('sha1').update(`${TYPES[type]} ${size}\0`)
  const inflate = createInflate()
  const source = Readable.from(slicesOf(pack.subarray(start)), { signal })
  let bytes = 0
  try {
    const inflated: AsyncIterable<Buffer> = source.pipe(inflate)
    for await (const chunk of inflated) {
      bytes += chunk.length
      if (bytes > size) break
      hash.update(chunk)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw damagedPack(errorMessage(error))
  } finally {
    source.destroy()
  }
  if (bytes !== size) throw damagedPack('an object does not have its declared size')
  return { length: inflate.bytesWritten, oid: hash.digest('hex') }
}

function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) yield bytes.subarray(at, at + SLICE_BYTES)
}

const SLICE_BYTES = 64 << 10
const MAX_SKIPPED_BYTES = 2 ** 31

/** Reads every object once, because an object's id is the hash of its content. */
async function indexByOid(
  pack: Buffer,
  { entries, large }: { entries: Map<number, PackEntry>; large: Set<string> },
  signal: AbortSignal,
): Promise<GitPack> {
  const offsetByOid = new Map<string, number>()
  const objectAt = createObjectReader(pack, entries, offsetByOid)
  let unresolved = [...entries.keys()]
  for (let previousCount = -1; unresolved.length > 0 && unresolved.length !== previousCount; ) {
    previousCount = unresolved.length
    const stillUnresolved: number[] = []
    for (const [index, offset] of unresolved.entries()) {
      if (index % YIELD_EVERY === 0) await yieldToEventLoop(signal)
      const object = objectAt(offset)
      if (object === undefined) stillUnresolved.push(offset)
      else offsetByOid.set(oidOf(object), offset)
    }
    unresolved = stillUnresolved
  }
  if (unresolved.length > 0 && large.size === 0) throw damagedPack('the base of a delta is missing')
  return (oid) => {
    const place = offsetByOid.get(oid)
    return place === undefined ? (large.has(oid) ? null : undefined) : objectAt(place)
  }
}

const oidOf = ({ type, data }: GitObject): string =>
  createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex')

/** Returns undefined while the base of a delta has no known id. Recently read objects are cached. */
function createObjectReader(pack: Buffer, entries: Map<number, PackEntry>, offsetByOid: Map<string, number>) {
  const cache = createLruCache<number, GitObject>(MAX_CACHED_BYTES, ({ data }) => data.length)
  const cacheObject = (offset: number, object: GitObject): GitObject => {
    cache.set(offset, object)
    return object
  }
  return (offset: number): GitObject | undefined => {
    const chain: { at: number; entry: PackEntry }[] = []
    let object: GitObject | undefined
    for (let at: number | undefined = offset; object === undefined; ) {
      const entry: PackEntry | undefined = at === undefined ? undefined : entries.get(at)
      if (at === undefined || entry === undefined) return undefined
      object = cache.get(at)
      if (object !== undefined) break
      const type = TYPES[entry.type]
      if (type !== undefined) object = cacheObject(at, { type, data: inflateObject(pack, entry).data })
      else {
        chain.push({ at, entry })
        if (chain.length > MAX_CHAIN) throw damagedPack('the delta chain is too long')
        at = typeof entry.base === 'string' ? offsetByOid.get(entry.base) : (entry.base ?? undefined)
      }
    }
    for (const { at, entry } of chain.reverse()) {
      const { data } = inflateObject(pack, entry)
      object = cacheObject(at, { type: object.type, data: applyDelta(object.data, data) })
    }
    return object
  }
}

/** https://git-scm.com/docs/pack-format#_deltified_representation */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  let at = 0
  const next = (): number => {
    const byte = delta[at]
    if (byte === undefined) throw damagedPack('a delta ends early')
    at += 1
    return byte
  }
  const length = (): number => {
    for (let [value, factor] = [0, 1]; ; factor *= 128) {
      const byte = next()
      value += (byte & 127) * factor
      if (!(byte & 128)) return value
    }
  }
  if (length() !== base.length) throw damagedPack('a delta does not match its base')
  const size = length()
  if (size > MAX_OBJECT_BYTES) throw damagedPack(`a delta expands to ${size} bytes`)
  const result = Buffer.alloc(size)
  let written = 0
  const copyBytes = (source: Buffer, from: number, count: number): void => {
    if (from + count > source.length || written + count > size) throw damagedPack('a delta copies out of range')
    written += source.copy(result, written, from, from + count)
  }
  while (at < delta.length) {
    const command = next()
    if (command & 128) {
      // Each bit tells whether a byte of the number is present.
      const number = (first: number, count: number) =>
        Array.from({ length: count }, (_, it) => (command & (1 << (first + it)) ? next() * 2 ** (8 * it) : 0)).reduce(
          (sum, it) => sum + it,
        )
      const from = number(0, 4)
      copyBytes(base, from, number(4, 3) || 0x10000)
    } else if (command > 0) {
      copyBytes(delta, at, command)
      at += command
    } else throw damagedPack('unknown delta instruction')
  }
  if (written !== size) throw damagedPack('a delta is incomplete')
  return result
}
