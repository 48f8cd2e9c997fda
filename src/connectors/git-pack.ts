// Objects of a repository, as a server packs them: https://git-scm.com/docs/pack-format
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createInflate, inflateSync } from 'node:zlib'
import { SourceError } from './connector.ts'

export interface GitObject {
  type: 'commit' | 'tree' | 'blob' | 'tag'
  data: Buffer
}

/** By name. Undefined: it is not in it. Null: it is larger than an object may be. */
export type Pack = (oid: string) => GitObject | null | undefined

interface Entry {
  type: number
  size: number
  /** Where its packed bytes begin. */
  start: number
  /** What it differs from: a place in the pack, or a name. */
  base: number | string | null
}

const TYPES = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' } as Readonly<Record<number, GitObject['type']>>
const [OFFSET_DELTA, NAMED_DELTA] = [6, 7]
const NAME_BYTES = 20
/** A file that is larger is none to read. */
const MAX_OBJECT = 50 << 20
const MAX_KEPT = 64 << 20
const MAX_CHAIN = 5_000
/** Objects after which others have a turn. */
const TURN = 200

export async function openPack(pack: Buffer, signal: AbortSignal): Promise<Pack> {
  const content = pack.subarray(0, -NAME_BYTES)
  const sum = createHash('sha1').update(content).digest()
  if (pack.length < 12 + NAME_BYTES || !sum.equals(pack.subarray(-NAME_BYTES))) throw damaged('its sum differs')
  if (pack.toString('latin1', 0, 4) !== 'PACK' || pack.readUInt32BE(4) !== 2) throw damaged('it is of another version')
  const entries = new Map<number, Entry>()
  const large = new Set<string>()
  const count = pack.readUInt32BE(8)
  let at = 12
  for (let done = 0; done < count; done += 1) {
    if (done % TURN === 0) await turn(signal)
    const entry = headerAt(content, at)
    if (entry.size > MAX_OBJECT) {
      const { length, oid } = await passOver(content, entry, signal)
      large.add(oid)
      at = entry.start + length
    } else {
      entries.set(at, entry)
      // Nothing says how long the packed bytes are, so they are unpacked to learn it.
      at = entry.start + unpack(content, entry).length
    }
  }
  return await named(content, { entries, large }, signal)
}

const damaged = (what: string) => new SourceError('unexpected', `The server sends a pack that is damaged: ${what}.`)

async function turn(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise((resolve) => setImmediate(resolve))
}

function headerAt(pack: Buffer, offset: number): Entry {
  let at = offset
  const next = (): number => {
    const byte = pack[at]
    if (byte === undefined) throw damaged('it is shorter than it says')
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
  if (!Number.isSafeInteger(size)) throw damaged('an object has no size')
  if (type === OFFSET_DELTA) {
    byte = next()
    let distance = byte & 127
    while (byte & 128) {
      byte = next()
      distance = (distance + 1) * 128 + (byte & 127)
    }
    return { type, size, base: offset - distance, start: at }
  }
  if (type === NAMED_DELTA) {
    return { type, size, base: pack.toString('hex', at, at + NAME_BYTES), start: at + NAME_BYTES }
  }
  if (TYPES[type] === undefined) throw damaged(`an object of kind ${type}`)
  return { type, size, base: null, start: at }
}

function unpack(pack: Buffer, { start, size }: Entry): { data: Buffer; length: number } {
  try {
    const options = { info: true, maxOutputLength: Math.max(size, 1) }
    // Its types leave out what `info` answers.
    const { buffer, engine } = inflateSync(pack.subarray(start), options) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    if (buffer.length !== size) throw damaged('an object has another size than it says')
    return { data: buffer, length: engine.bytesWritten }
  } catch (error) {
    if (error instanceof SourceError) throw error
    throw damaged((error as Error).message)
  }
}

/** To the end of an object that is not kept. A difference has no name of its own. */
async function passOver(
  pack: Buffer,
  { type, size, start }: Entry,
  signal: AbortSignal,
): Promise<{ length: number; oid: string }> {
  if (size > MAX_PASSED) throw damaged(`an object of ${size} bytes`)
  const hash = createHash('sha1').update(`${TYPES[type]} ${size}\0`)
  const inflate = createInflate()
  const source = Readable.from(slicesOf(pack.subarray(start)), { signal })
  let bytes = 0
  try {
    for await (const chunk of source.pipe(inflate) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > size) break
      hash.update(chunk)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw damaged((error as Error).message)
  } finally {
    source.destroy()
  }
  if (bytes !== size) throw damaged('an object has another size than it says')
  return { length: inflate.bytesWritten, oid: hash.digest('hex') }
}

function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE) yield bytes.subarray(at, at + SLICE)
}

const SLICE = 64 << 10
const MAX_PASSED = 2 ** 31

/** What an object is called follows from its content, so each is read once. */
async function named(
  pack: Buffer,
  { entries, large }: { entries: Map<number, Entry>; large: Set<string> },
  signal: AbortSignal,
): Promise<Pack> {
  const places = new Map<string, number>()
  const objectAt = reader(pack, entries, places)
  let waiting = [...entries.keys()]
  for (let before = -1; waiting.length > 0 && waiting.length !== before; ) {
    before = waiting.length
    const left: number[] = []
    for (const [index, offset] of waiting.entries()) {
      if (index % TURN === 0) await turn(signal)
      const object = objectAt(offset)
      if (object === undefined) left.push(offset)
      else places.set(nameOf(object), offset)
    }
    waiting = left
  }
  if (waiting.length > 0 && large.size === 0) throw damaged('something that others differ from is not in it')
  return (oid) => {
    const place = places.get(oid)
    return place === undefined ? (large.has(oid) ? null : undefined) : objectAt(place)
  }
}

const nameOf = ({ type, data }: GitObject): string =>
  createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex')

/** Undefined while what it differs from has no name yet. The last ones that were read are kept. */
function reader(pack: Buffer, entries: Map<number, Entry>, places: Map<string, number>) {
  const kept = new Map<number, GitObject>()
  let bytes = 0
  const keep = (offset: number, object: GitObject): GitObject => {
    kept.set(offset, object)
    bytes += object.data.length
    for (const [oldest, { data }] of kept) {
      if (bytes <= MAX_KEPT) break
      kept.delete(oldest)
      bytes -= data.length
    }
    return object
  }
  return (offset: number): GitObject | undefined => {
    const chain: number[] = []
    let object: GitObject | undefined
    for (let at: number | undefined = offset; object === undefined; ) {
      const entry: Entry | undefined = at === undefined ? undefined : entries.get(at)
      if (at === undefined || entry === undefined) return undefined
      object = kept.get(at)
      if (object !== undefined) break
      const type = TYPES[entry.type]
      if (type !== undefined) object = keep(at, { type, data: unpack(pack, entry).data })
      else {
        chain.push(at)
        if (chain.length > MAX_CHAIN) throw damaged('its differences have no end')
        at = typeof entry.base === 'string' ? places.get(entry.base) : (entry.base ?? undefined)
      }
    }
    for (const at of chain.reverse()) {
      const { data } = unpack(pack, entries.get(at)!)
      object = keep(at, { type: object.type, data: applyDelta(object.data, data) })
    }
    return object
  }
}

/** https://git-scm.com/docs/pack-format#_deltified_representation */
export function applyDelta(base: Buffer, delta: Buffer): Buffer {
  let at = 0
  const next = (): number => {
    const byte = delta[at]
    if (byte === undefined) throw damaged('a difference is shorter than it says')
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
  if (length() !== base.length) throw damaged('a difference is from another object')
  const size = length()
  if (size > MAX_OBJECT) throw damaged(`a difference makes ${size} bytes`)
  const result = Buffer.alloc(size)
  let filled = 0
  const take = (source: Buffer, from: number, count: number): void => {
    if (from + count > source.length || filled + count > size) throw damaged('a difference reaches too far')
    filled += source.copy(result, filled, from, from + count)
  }
  while (at < delta.length) {
    const command = next()
    if (command & 128) {
      // Each bit says whether a byte of the number is there.
      const number = (first: number, count: number) =>
        Array.from({ length: count }, (_, it) => (command & (1 << (first + it)) ? next() * 2 ** (8 * it) : 0)).reduce(
          (sum, it) => sum + it,
        )
      const from = number(0, 4)
      take(base, from, number(4, 3) || 0x10000)
    } else if (command > 0) {
      take(delta, at, command)
      at += command
    } else throw damaged('a difference of an unknown kind')
  }
  if (filled !== size) throw damaged('a difference is not whole')
  return result
}
