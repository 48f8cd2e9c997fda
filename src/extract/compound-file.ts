// The container of Outlook's messages (MS-CFB). What reads it follows every reference that it finds, in a circle too, so
// references are looked at before.
import { Ended } from './reading.ts'

const ENTRY_BYTES = 128
const SMALL_BYTES = 64
/** Streams below this lie in the small sectors. */
const SMALL_BELOW = 4_096
const END = -2
/** In the header itself; further ones are listed in a chain of their own. */
const FATS_IN_HEADER = 109
const [STORAGE, STREAM, ROOT] = [1, 2, 5]

type Next = (sector: number) => number

/** Ends the reading where following what is written there would not end. */
export function checkCompoundFile(bytes: Buffer): void {
  const sectorBytes = bytes[30] === 12 ? 4_096 : 512
  const most = Math.floor(bytes.length / sectorBytes) + 1
  const numberAt = (at: number): number => (at >= 0 && at + 4 <= bytes.length ? bytes.readInt32LE(at) : fail())
  const count = (at: number): number => {
    const value = numberAt(at)
    return value >= 0 && value <= most ? value : fail()
  }
  const offsetOf = (sector: number): number => (sector + 1) * sectorBytes
  const entriesOfSector = sectorBytes / 4
  const nextBy =
    (tables: readonly number[]): Next =>
    (sector) => {
      const table = tables[Math.floor(sector / entriesOfSector)]
      return table === undefined ? END : numberAt(offsetOf(table) + 4 * (sector % entriesOfSector))
    }
  const next = nextBy(fatSectors({ count, numberAt, offsetOf, entriesOfSector }))
  const smallTables = chainOf(numberAt(60), next, most).slice(0, count(64))
  const nextSmall = nextBy(smallTables)

  const entries = chainOf(numberAt(48), next, most).flatMap((sector) =>
    Array.from({ length: sectorBytes / ENTRY_BYTES }, (_, at) => offsetOf(sector) + at * ENTRY_BYTES),
  )
  checkTree(entries, bytes)
  for (const at of entries) {
    const type = bytes[at + 66]
    if (type === ROOT) chainOf(numberAt(at + 116), next, most)
    if (type !== STREAM) continue
    const size = numberAt(at + 120)
    if (size < 0 || size > bytes.length) fail()
    if (size > 0 && size < SMALL_BELOW) chainOf(numberAt(at + 116), nextSmall, Math.ceil(size / SMALL_BYTES) + 1)
  }
}

const fail = (): never => {
  throw new Ended('damaged', 'The container of this message refers to what is not there, or in a circle.')
}

function chainOf(start: number, next: Next, most: number): number[] {
  const chain: number[] = []
  for (let sector = start; sector >= 0; sector = next(sector)) if (chain.push(sector) > most) fail()
  return chain
}

interface Tables {
  count: (at: number) => number
  numberAt: (at: number) => number
  offsetOf: (sector: number) => number
  entriesOfSector: number
}

function fatSectors({ count, numberAt, offsetOf, entriesOfSector }: Tables): number[] {
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

/** Each entry has one place in the tree. */
function checkTree(entries: readonly number[], bytes: Buffer): void {
  const seen = new Set<number>()
  const waiting = [0]
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    const at = entries[entry]
    if (at === undefined || at + ENTRY_BYTES > bytes.length || seen.has(entry)) fail()
    else {
      seen.add(entry)
      const isFolder = bytes[at + 66] === STORAGE || bytes[at + 66] === ROOT
      const siblings = entry === 0 ? [] : [bytes.readInt32LE(at + 68), bytes.readInt32LE(at + 72)]
      const children = isFolder ? [bytes.readInt32LE(at + 76)] : []
      waiting.push(...[...siblings, ...children].filter((it) => it !== -1))
    }
  }
}
