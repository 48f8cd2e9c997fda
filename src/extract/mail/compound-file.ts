// Validates the container of Outlook messages (MS-CFB). The library follows every reference, even cycles, so references
// are checked first.
import { ReadEnded } from '../reader.ts'

const ENTRY_BYTES = 128
const SMALL_BYTES = 64
/** Smaller streams are stored in mini sectors. */
const SMALL_BELOW = 4_096
const END = -2
/** FAT sectors listed in the header. Further ones are in a separate chain. */
const FATS_IN_HEADER = 109
const [STORAGE, STREAM, ROOT] = [1, 2, 5]

type NextSector = (sector: number) => number

/** Throws `ReadEnded` if a chain is cyclic or out of range. */
export function checkCompoundFile(bytes: Buffer): void {
  const sectorBytes = bytes[30] === 12 ? 4_096 : 512
  const most = Math.floor(bytes.length / sectorBytes) + 1
  const numberAt = (at: number): number => (at >= 0 && at + 4 <= bytes.length ? bytes.readInt32LE(at) : throwDamaged())
  const count = (at: number): number => {
    const value = numberAt(at)
    return value >= 0 && value <= most ? value : throwDamaged()
  }
  const offsetOf = (sector: number): number => (sector + 1) * sectorBytes
  const entriesOfSector = sectorBytes / 4
  const createNextSector =
    (tables: readonly number[]): NextSector =>
    (sector) => {
      const table = tables[Math.floor(sector / entriesOfSector)]
      return table === undefined ? END : numberAt(offsetOf(table) + 4 * (sector % entriesOfSector))
    }
  const next = createNextSector(fatSectors({ count, numberAt, offsetOf, entriesOfSector }))
  const smallTables = followChain(numberAt(60), next, most).slice(0, count(64))
  const nextSmall = createNextSector(smallTables)

  const entries = followChain(numberAt(48), next, most).flatMap((sector) =>
    Array.from({ length: sectorBytes / ENTRY_BYTES }, (_, at) => offsetOf(sector) + at * ENTRY_BYTES),
  )
  checkDirectoryTree(entries, bytes)
  for (const at of entries) {
    const type = bytes[at + 66]
    if (type === ROOT) followChain(numberAt(at + 116), next, most)
    if (type !== STREAM) continue
    const size = numberAt(at + 120)
    if (size < 0 || size > bytes.length) throwDamaged()
    if (size > 0 && size < SMALL_BELOW) followChain(numberAt(at + 116), nextSmall, Math.ceil(size / SMALL_BYTES) + 1)
  }
}

const throwDamaged = (): never => {
  throw new ReadEnded('damaged', "The message's container has cyclic or dangling references.")
}

function followChain(start: number, next: NextSector, most: number): number[] {
  const chain: number[] = []
  for (let sector = start; sector >= 0; sector = next(sector)) if (chain.push(sector) > most) throwDamaged()
  return chain
}

interface SectorAccess {
  count: (at: number) => number
  numberAt: (at: number) => number
  offsetOf: (sector: number) => number
  entriesOfSector: number
}

function fatSectors({ count, numberAt, offsetOf, entriesOfSector }: SectorAccess): number[] {
  const total = count(44)
  const sectors = Array.from({ length: Math.min(total, FATS_IN_HEADER) }, (_, at) => numberAt(76 + 4 * at))
  let list = numberAt(68)
  for (let lists = count(72); lists > 0 && list >= 0; lists--) {
    const at = offsetOf(list)
    for (let entry = 0; entry < entriesOfSector - 1 && sectors.length < total; entry++)
      sectors.push(numberAt(at + 4 * entry))
    list = numberAt(at + 4 * (entriesOfSector - 1))
  }
  return sectors
}

/** Checks that every entry occurs once in the directory tree. */
function checkDirectoryTree(entries: readonly number[], bytes: Buffer): void {
  const seen = new Set<number>()
  const pendingEntries = [0]
  for (let entry = pendingEntries.pop(); entry !== undefined; entry = pendingEntries.pop()) {
    const at = entries[entry]
    if (at === undefined || at + ENTRY_BYTES > bytes.length || seen.has(entry)) throwDamaged()
    else {
      seen.add(entry)
      const isFolder = bytes[at + 66] === STORAGE || bytes[at + 66] === ROOT
      const siblings = entry === 0 ? [] : [bytes.readInt32LE(at + 68), bytes.readInt32LE(at + 72)]
      const children = isFolder ? [bytes.readInt32LE(at + 76)] : []
      pendingEntries.push(...[...siblings, ...children].filter((it) => it !== -1))
    }
  }
}
