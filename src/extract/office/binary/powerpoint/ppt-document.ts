// Finds the slides of a presentation (MS-PPT 2.1.2): each save adds a list of the places of the parts that it changed.
import { checkDeadline, ReadEnded, type ReaderContext } from '../../../reader.ts'
import type { CompoundStreams } from '../compound-streams.ts'
import { type PptRecord, readPptRecord, recordsIn } from './ppt-records.ts'

export interface PptSlideEntry {
  /** The number by which notes refer to the slide. */
  id: number
  slide: PptRecord | undefined
  /** Texts that are not in the slide itself but in the list of slides, in order. */
  texts: PptRecord[]
}

export interface PptDocument {
  document: Buffer
  slides: PptSlideEntry[]
  notes: PptSlideEntry[]
}

const [DOCUMENT, LIST, LIST_ENTRY, EDIT, PLACES] = [0x3e8, 0xff0, 0x3f3, 0xff5, 0x1772]
const [SLIDES, NOTES] = [0, 2]
/** A file for PowerPoint 95 and 97 has the newer form in a folder. */
const DUAL_FOLDER = 'PP97_DUALSTORAGE/'
const ENCRYPTED = 0xf3d1c4df
/** The last save is the first of this list. */
const MAX_EDITS = 10_000

/** Throws `ReadEnded` if the presentation is encrypted, or has no document. */
export function readPptDocument({ budget }: Pick<ReaderContext, 'budget'>, streams: CompoundStreams): PptDocument {
  const folder = streams.has(`${DUAL_FOLDER}PowerPoint Document`) ? DUAL_FOLDER : ''
  const stream = streams.read(`${folder}PowerPoint Document`)
  const user = streams.read(`${folder}Current User`)
  if (stream === undefined) throw new ReadEnded('damaged', 'The presentation has no stream of slides.')
  if (user !== undefined && user.length >= 20 && user.readUInt32LE(12) === ENCRYPTED)
    throw new ReadEnded('password', 'The presentation is password-protected.')
  const places = new Map<number, number>()
  let documentId = 1
  let edit = user === undefined || user.length < 20 ? undefined : readPptRecord(stream, user.readUInt32LE(16))
  for (let edits = 0; edit?.type === EDIT && edit.data.length >= 20 && edits < MAX_EDITS; edits++) {
    checkDeadline(budget)
    if (edits === 0) {
      documentId = edit.data.readUInt32LE(16)
      if (edit.data.length >= 32) throw new ReadEnded('password', 'The presentation is password-protected.')
    }
    addPlaces(places, readPptRecord(stream, edit.data.readUInt32LE(12)))
    const before = edit.data.readUInt32LE(8)
    edit = before === 0 ? undefined : readPptRecord(stream, before)
  }
  const partOf = (id: number) => readPptRecord(stream, places.get(id) ?? -1)
  const document = partOf(documentId) ?? [...recordsIn(stream)].find((it) => it.type === DOCUMENT)
  if (document?.type !== DOCUMENT) throw new ReadEnded('damaged', 'The presentation has no list of slides.')
  const found: PptDocument = { document: document.data, slides: [], notes: [] }
  for (const { type, instance, data } of recordsIn(document.data)) {
    if (type !== LIST) continue
    if (instance === SLIDES) found.slides.push(...listEntries(data, partOf))
    else if (instance === NOTES) found.notes.push(...listEntries(data, partOf))
  }
  return found
}

/** Newer saves come first, so that their places stay. */
function addPlaces(places: Map<number, number>, list: PptRecord | undefined): void {
  if (list?.type !== PLACES) return
  let at = 0
  while (at + 4 <= list.data.length) {
    const head = list.data.readUInt32LE(at)
    const [first, count] = [head & 0xfffff, head >>> 20]
    at += 4
    for (let number = 0; number < count && at + 4 <= list.data.length; number++, at += 4)
      if (!places.has(first + number)) places.set(first + number, list.data.readUInt32LE(at))
  }
}

function listEntries(list: Buffer, partOf: (id: number) => PptRecord | undefined): PptSlideEntry[] {
  const entries: PptSlideEntry[] = []
  for (const record of recordsIn(list)) {
    if (record.type !== LIST_ENTRY) entries.at(-1)?.texts.push(record)
    else if (record.data.length >= 16)
      entries.push({ id: record.data.readUInt32LE(12), slide: partOf(record.data.readUInt32LE(0)), texts: [] })
  }
  return entries
}
