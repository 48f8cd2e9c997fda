// Reads the streams of a compound file (MS-CFB): the container of Office files before 2007.
import { type ExtractBudget, ReadEnded } from '../../reader.ts'

/** Names are compared without case: some programs write them in capitals. A stream of a folder is `folder/stream`. */
export interface CompoundStreams {
  has(name: string): boolean
  /** The bytes of a stream in the root folder or a folder of it; undefined if there is none. A broken chain ends the stream early. */
  read(name: string): Buffer | undefined
}

interface DirectoryEntry {
  name: string
  type: number
  start: number
  size: number
  left: number
  right: number
  child: number
}

const ENTRY_BYTES = 128
const SMALL_BYTES = 64
/** Smaller streams are stored in mini sectors. */
const SMALL_BELOW = 4_096
/** FAT sectors listed in the header. Further ones are in a separate chain. */
const FATS_IN_HEADER = 109
const HEADER_BYTES = 512
const [FOLDER, STREAM, ROOT] = [1, 2, 5]

/** Throws `ReadEnded` if there is no directory, or if the streams together exceed the limit of decoded bytes. */
export function openCompoundStreams(bytes: Buffer, budget: ExtractBudget): CompoundStreams {
  const sectors = openSectors(bytes)
  const directory = readChain(sectors, int32(bytes, 48), bytes.length)
  const entries: DirectoryEntry[] = []
  for (let at = 0; at + ENTRY_BYTES <= directory.length; at += ENTRY_BYTES) entries.push(readEntry(directory, at))
  const root = entries[0]
  if (root?.type !== ROOT) throw new ReadEnded('damaged', 'The container of the file has no directory.')
  const names = listStreams(entries, root.child)
  let small: Sectors | undefined
  return {
    has: (name) => names.has(name.toLowerCase()),
    read(name) {
      const entry = names.get(name.toLowerCase())
      if (entry === undefined) return undefined
      // Streams are copies. A damaged directory may name the same sectors many times.
      budget.decoded += Math.min(entry.size, bytes.length)
      if (budget.decoded > budget.limits.decodedBytes) throw new ReadEnded('limit', 'decodedBytes')
      if (entry.size >= SMALL_BELOW) return readChain(sectors, entry.start, entry.size)
      small ??= openSmallSectors(bytes, sectors, root)
      return readChain(small, entry.start, entry.size)
    },
  }
}

/** Numbers outside the file are -1, which ends every chain. */
const int32 = (bytes: Buffer, at: number): number => (at >= 0 && at + 4 <= bytes.length ? bytes.readInt32LE(at) : -1)

interface Sectors {
  bytes: Buffer
  sectorBytes: number
  offsetOf: (sector: number) => number
  next: (sector: number) => number
}

function openSectors(bytes: Buffer): Sectors {
  const sectorBytes = bytes[30] === 12 ? 4_096 : 512
  const perSector = sectorBytes / 4
  const offsetOf = (sector: number) => (sector + 1) * sectorBytes
  const tables = listTables(bytes, { offsetOf, perSector })
  const next = (sector: number) => {
    const table = tables[Math.floor(sector / perSector)]
    return table === undefined ? -1 : int32(bytes, offsetOf(table) + 4 * (sector % perSector))
  }
  return { bytes, sectorBytes, offsetOf, next }
}

function listTables(
  bytes: Buffer,
  { offsetOf, perSector }: { offsetOf: (sector: number) => number; perSector: number },
): number[] {
  const most = Math.ceil(bytes.length / HEADER_BYTES / perSector) + 1
  const tables: number[] = []
  for (let at = 0; at < FATS_IN_HEADER; at++) tables.push(int32(bytes, 76 + 4 * at))
  let list = int32(bytes, 68)
  while (list >= 0 && tables.length < most) {
    const at = offsetOf(list)
    for (let entry = 0; entry < perSector - 1; entry++) tables.push(int32(bytes, at + 4 * entry))
    list = int32(bytes, at + 4 * (perSector - 1))
  }
  return tables.slice(0, most)
}

function openSmallSectors(bytes: Buffer, sectors: Sectors, root: DirectoryEntry): Sectors {
  const content = readChain(sectors, root.start, root.size)
  const table = readChain(sectors, int32(bytes, 60), bytes.length)
  return {
    bytes: content,
    sectorBytes: SMALL_BYTES,
    offsetOf: (sector) => sector * SMALL_BYTES,
    next: (sector) => int32(table, 4 * sector),
  }
}

/** At most `size` bytes. A cycle ends where more sectors were read than the file has. */
function readChain({ bytes, sectorBytes, offsetOf, next }: Sectors, start: number, size: number): Buffer {
  const pieces: Buffer[] = []
  const wanted = Math.min(size, bytes.length)
  let length = 0
  for (let sector = start; sector >= 0 && length < wanted; sector = next(sector)) {
    const at = offsetOf(sector)
    if (at >= bytes.length) break
    const piece = bytes.subarray(at, at + sectorBytes)
    pieces.push(piece)
    length += piece.length
  }
  return Buffer.concat(pieces).subarray(0, wanted)
}

function readEntry(directory: Buffer, at: number): DirectoryEntry {
  const nameBytes = Math.min(directory.readUInt16LE(at + 64), 64)
  const size = directory.readInt32LE(at + 120)
  return {
    name: directory.toString('utf16le', at, at + Math.max(0, nameBytes - 2)),
    type: directory[at + 66] ?? 0,
    left: directory.readInt32LE(at + 68),
    right: directory.readInt32LE(at + 72),
    child: directory.readInt32LE(at + 76),
    start: directory.readInt32LE(at + 116),
    size: Math.max(0, size),
  }
}

function listStreams(entries: readonly DirectoryEntry[], first: number): Map<string, DirectoryEntry> {
  const found = new Map<string, DirectoryEntry>()
  const seen = new Set<number>()
  for (const entry of listFolder(entries, first, seen)) {
    const name = entry.name.toLowerCase()
    if (entry.type === STREAM) found.set(name, entry)
    if (entry.type !== FOLDER) continue
    for (const inner of listFolder(entries, entry.child, seen))
      if (inner.type === STREAM) found.set(`${name}/${inner.name.toLowerCase()}`, inner)
  }
  return found
}

/** The entries of a folder are a tree. `seen`: each entry is visited once, in whichever folder. */
function listFolder(entries: readonly DirectoryEntry[], first: number, seen: Set<number>): DirectoryEntry[] {
  const found: DirectoryEntry[] = []
  const pending = [first]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const entry = entries[at]
    if (entry === undefined || seen.has(at)) continue
    seen.add(at)
    found.push(entry)
    pending.push(entry.left, entry.right)
  }
  return found
}
