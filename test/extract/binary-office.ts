// Writes small Office files of the formats before 2007, record by record.
import { compoundFile } from './msg-writer.ts'

const u16 = (...values: number[]) => Buffer.concat(values.map((it) => Buffer.from([it & 0xff, (it >> 8) & 0xff])))
const u32 = (...values: number[]) =>
  Buffer.concat(
    values.map((it) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(it >>> 0)
      return bytes
    }),
  )
const wide = (text: string) => Buffer.from(text, 'utf16le')
const bytes = (...values: number[]) => Buffer.from(values)
const filled = (content: Buffer, length: number) => Buffer.concat([content, Buffer.alloc(length - content.length)])

const textProperty = (text: string) => Buffer.concat([u32(0x1e, text.length + 1), Buffer.from(`${text}\0`, 'latin1')])
const timeProperty = (iso: string) => {
  const value = Buffer.alloc(12)
  value.writeUInt32LE(0x40)
  value.writeBigUInt64LE((BigInt(Date.parse(iso)) + 11_644_473_600_000n) * 10_000n, 4)
  return value
}

const summary = (): Buffer => {
  const values = [
    [2, textProperty('Harbour plan')],
    [4, textProperty('Ad\xe9le')],
    [12, timeProperty('2001-02-03T04:05:06Z')],
  ] as const
  let place = 8 + 8 * values.length
  const list = values.map(([id, value]) => {
    const entry = u32(id, place)
    place += value.length
    return entry
  })
  return Buffer.concat([
    bytes(0xfe, 0xff, 0, 0),
    Buffer.alloc(20),
    u32(1),
    Buffer.alloc(16),
    u32(48, place, values.length),
    ...list,
    ...values.map(([, value]) => value),
  ])
}

const office = (streams: Readonly<Record<string, Buffer>>): Buffer =>
  compoundFile({ '\x05SummaryInformation': summary(), ...streams })

export interface DocParts {
  text: string
  footnotes?: string
  headers?: string
  comments?: string
  /** The style and the properties of a paragraph; the key is its number. */
  formats?: Readonly<Record<number, { style?: number; properties?: Buffer }>>
  /** A range of the text that a tracked change has deleted. */
  deleted?: [start: number, end: number]
  isEncrypted?: boolean
  isOld?: boolean
}

export const IN_TABLE = bytes(0x16, 0x24, 1)
export const ROW_END = Buffer.concat([IN_TABLE, bytes(0x17, 0x24, 1)])
export const LIST_ITEM = bytes(0x0b, 0x46, 1, 0)
const TEXT_AT = 1_024

/** The text has two pieces: narrow and wide. A page of formats stands before it. */
export function doc({ text, footnotes = '', headers = '', comments = '', ...more }: DocParts): Buffer {
  const all = text + footnotes + headers + comments
  const half = Math.floor(all.length / 2)
  if (more.isOld) return oldDoc(all, { isEncrypted: more.isEncrypted ?? false })
  const placeOf = (at: number) => TEXT_AT + (at < half ? at : half + 2 * (at - half))
  const head = Buffer.alloc(512)
  head.writeUInt16LE(0xa5ec, 0)
  head.writeUInt16LE(0x0200 | (more.isEncrypted ? 0x0100 : 0), 10)
  const lengths = [text.length, footnotes.length, headers.length, 0, comments.length]
  for (const [at, length] of lengths.entries()) head.writeUInt32LE(length, 76 + 4 * at)
  const table: Buffer[] = []
  const add = (at: number, content: Buffer) => {
    head.writeUInt32LE(Buffer.concat(table).length, at)
    head.writeUInt32LE(content.length, at + 4)
    table.push(content)
  }
  const list = Buffer.concat([
    u32(0, half, all.length),
    ...[u32(0x40000000 | (TEXT_AT * 2)), u32(TEXT_AT + half)].map((it) => Buffer.concat([u16(0), it, u16(0)])),
  ])
  add(418, Buffer.concat([bytes(2), u32(list.length), list]))
  const style = (builtIn: number, basedOn: number) => Buffer.concat([u16(6, builtIn, (basedOn << 4) | 1, 0)])
  add(162, Buffer.concat([u16(2), u16(3), style(0, 0xfff), style(1, 0), style(0xffe, 1)]))
  add(258, u32(TEXT_AT, 0xffffff, 1))
  const page = paragraphPage(all, more.formats ?? {}, placeOf)
  const deleted = more.deleted?.map(placeOf)
  if (deleted !== undefined) add(250, u32(TEXT_AT, 0xffffff, Math.ceil((placeOf(all.length) + 1) / 512)))
  const main = Buffer.concat([head, page, Buffer.from(all.slice(0, half), 'latin1'), wide(all.slice(half))])
  const padded = filled(main, Math.ceil((main.length + 1) / 512) * 512)
  return office({
    WordDocument: deleted === undefined ? padded : Buffer.concat([padded, deletedPage(deleted)]),
    '1Table': Buffer.concat(table),
  })
}

function paragraphPage(
  text: string,
  formats: NonNullable<DocParts['formats']>,
  placeOf: (at: number) => number,
): Buffer {
  const page = Buffer.alloc(512)
  const ends = [...text.matchAll(/[\r\x07]/g)].map((it) => it.index + 1)
  let free = 510
  page.writeUInt32LE(TEXT_AT, 0)
  for (const [at, end] of ends.entries()) {
    page.writeUInt32LE(placeOf(end), 4 * (at + 1))
    const { style = 0, properties = Buffer.alloc(0) } = formats[at] ?? {}
    const content = Buffer.concat([u16(style), properties])
    const entry = Buffer.concat([bytes(0, Math.ceil(content.length / 2)), content])
    free -= entry.length + (entry.length % 2)
    entry.copy(page, free)
    page[4 * (ends.length + 1) + 13 * at] = free / 2
  }
  page[511] = ends.length
  return page
}

function deletedPage([start = 0, end = 0]: number[]): Buffer {
  const page = Buffer.alloc(512)
  u32(start, end).copy(page)
  page[8] = 200
  bytes(3, 0x00, 0x08, 1).copy(page, 400)
  page[511] = 1
  return page
}

/** Word 6 and 95: bytes of a code page, without pieces. The language is Russian. */
function oldDoc(text: string, { isEncrypted }: { isEncrypted: boolean }): Buffer {
  const head = Buffer.alloc(512)
  head.writeUInt16LE(0xa5dc, 0)
  head.writeUInt16LE(0x419, 6)
  head.writeUInt16LE(isEncrypted ? 0x0100 : 0, 10)
  head.writeUInt32LE(512, 24)
  head.writeUInt32LE(512 + text.length, 28)
  head.writeUInt32LE(text.length, 52)
  return office({ WordDocument: Buffer.concat([head, Buffer.from(text, 'latin1'), Buffer.alloc(600)]) })
}

const record = (type: number, ...data: Buffer[]) => {
  const content = Buffer.concat(data)
  return Buffer.concat([u16(type, content.length), content])
}
const short = (text: string) => Buffer.concat([bytes(text.length, 1), wide(text)])
const BOF = record(0x809, u16(0x600, 5, 0, 0))
const EOF = record(0x0a)
const float = (value: number) => {
  const content = Buffer.alloc(8)
  content.writeDoubleLE(value)
  return content
}

export interface XlsParts {
  isEncrypted?: boolean
  uses1904Dates?: boolean
}

/** Two sheets. A shared string goes on in a further record with another width. */
export function xls({ isEncrypted = false, uses1904Dates = false }: XlsParts = {}): Buffer {
  const strings = [
    record(
      0xfc,
      u32(4, 4),
      Buffer.concat([u16(4), bytes(0), Buffer.from('Name')]),
      Buffer.concat([u16(4), bytes(8), u16(1), Buffer.from('Cost'), u32(0)]),
      Buffer.concat([u16(5), bytes(5), u32(4), wide('C')]),
    ),
    record(0x3c, bytes(0), Buffer.from('hair'), wide('??')),
    record(0x3c, u16(4), bytes(0), Buffer.from('Lamp')),
  ]
  const formats = [0, 14, 9].map((id) => record(0xe0, u16(0, id)))
  const cell = (row: number, column: number, style = 0) => u16(row, column, style)
  const first = [
    BOF,
    record(0x14, u16(19), bytes(0), Buffer.from('&LHarbour office &P')),
    record(0xfd, cell(0, 0), u32(0)),
    record(0xfd, cell(0, 1), u32(1)),
    record(0xfd, cell(1, 0), u32(2)),
    record(0x27e, cell(1, 1), u32((1250 << 2) | 3)),
    record(0xfd, cell(2, 0), u32(3)),
    record(0xbd, u16(2, 1), u16(0), u32((7 << 2) | 2), u16(2), u32((50 << 2) | 3), u16(2)),
    record(0x203, cell(3, 1, 1), float(36_526)),
    record(0x06, cell(4, 1), bytes(0, 0, 0, 0, 0, 0, 0xff, 0xff), Buffer.alloc(8)),
    record(0x207, u16(5), bytes(0), Buffer.from('total')),
    record(0x06, cell(4, 2), bytes(2, 0, 7, 0, 0, 0, 0xff, 0xff), Buffer.alloc(8)),
    record(0x205, cell(4, 3), bytes(1, 0)),
    record(0x5d, u16(0x15, 18, 0x19, 1), Buffer.alloc(14)),
    record(0x1b6, u16(0, 0, 0, 0, 0, 5, 0, 0, 0)),
    record(0x3c, bytes(0), Buffer.from('cheap')),
    record(0x1c, u16(1, 1, 0, 1), short('Ada')),
    EOF,
  ]
  const second = [BOF, record(0x204, cell(0, 0), u16(4), bytes(1), wide('Ünü!')), EOF]
  const globals = (places: readonly [number, number]) =>
    Buffer.concat([
      BOF,
      ...(isEncrypted ? [record(0x2f, u16(1, 1, 1))] : []),
      record(0x22, u16(uses1904Dates ? 1 : 0)),
      ...formats,
      record(0x85, u32(places[0]), u16(0), short('Costs')),
      record(0x85, u32(places[1]), u16(1), short('Więcej')),
      ...strings,
      EOF,
    ])
  const start = globals([0, 0]).length
  const sheet = Buffer.concat(first)
  return office({ Workbook: Buffer.concat([globals([start, start + sheet.length]), sheet, ...second]) })
}

/** Excel 5 and 95: strings are bytes of a code page. */
export function oldXls(): Buffer {
  const bof = record(0x809, u16(0x500, 5, 0, 0))
  const latin = (text: string) => Buffer.from(text, 'latin1')
  const globals = (place: number) =>
    Buffer.concat([bof, record(0x42, u16(1251)), record(0x85, u32(place), u16(0), bytes(4), latin('One ')), EOF])
  const sheet = [bof, record(0x204, u16(0, 0, 0), u16(3), latin('\xc4\xee\xec')), EOF]
  return office({ Book: Buffer.concat([globals(globals(0).length), ...sheet]) })
}

const atom = (type: number, data: Buffer, instance = 0) =>
  Buffer.concat([u16(instance << 4, type), u32(data.length), data])
const container = (type: number, content: readonly Buffer[], instance = 0) => {
  const data = Buffer.concat(content)
  return Buffer.concat([u16((instance << 4) | 0xf, type), u32(data.length), data])
}
const textAtoms = (kind: number, text: string) => [
  atom(0xf9f, u32(kind)),
  /[^\0-\xff]/.test(text) ? atom(0xfa0, wide(text)) : atom(0xfa8, Buffer.from(text, 'latin1')),
]
const pptShape = (kind: number, text: string, more: Buffer[] = []) =>
  container(0xf004, [...more, container(0xf00d, textAtoms(kind, text))])
const place = (left: number, top: number) => atom(0xf00f, u32(left, top, left + 1, top + 1))
const pptTable = container(0xf003, [
  container(0xf004, [atom(0xf122, Buffer.concat([u16(0x39f), u32(1)]), 1)]),
  pptShape(4, 'Chair', [place(0, 9)]),
  pptShape(4, '12', [place(5, 9)]),
  pptShape(4, 'Cost', [place(5, 1)]),
  pptShape(4, 'Name', [place(0, 1)]),
])
const pptComment = container(0x2ee0, [atom(0xfba, wide('Ada'), 0), atom(0xfba, wide('Check this'), 1)])

/** Two slides, the second of which stands first in the file; one of them was saved again. */
export function ppt({ isEncrypted = false } = {}): Buffer {
  const drawing = (shapes: Buffer[]) => container(0x40c, [container(0xf002, [container(0xf003, shapes)])])
  const listed = container(0xf004, [container(0xf00d, [atom(0xf9e, u32(0))])])
  const footer = container(0xfd9, [atom(0xfba, wide('Harbour office'), 2)])
  const parts = [
    container(0x3e8, [
      container(
        0xff0,
        [atom(0x3f3, u32(3, 0, 0, 256, 0)), ...textAtoms(0, 'Welcome'), atom(0x3f3, u32(2, 0, 0, 257, 0))],
        0,
      ),
      container(0xff0, [atom(0x3f3, u32(4, 0, 0, 1, 0))], 2),
    ]),
    container(0x3ee, [drawing([pptShape(0, 'Last'), pptShape(1, 'The end — really')]), footer]),
    container(0x3ee, [drawing([listed, pptShape(1, 'old text')])]),
    container(0x3f0, [atom(0x3f1, u32(256, 0)), drawing([pptShape(2, 'Say hello')])]),
  ]
  const saved = container(0x3ee, [
    drawing([listed, pptShape(1, 'Point one\rPoint two'), pptTable]),
    container(0x1388, [container(0x138a, [atom(0x138b, pptComment)])]),
  ])
  let at = 0
  const places = parts.map((it) => {
    at += it.length
    return at - it.length
  })
  const firstPlaces = atom(0x1772, u32((4 << 20) | 1, ...places))
  const firstEdit = atom(0xff5, u32(0, 0, 0, at, 1, 5, 0))
  const savedAt = at + firstPlaces.length + firstEdit.length
  const newPlaces = atom(0x1772, u32((1 << 20) | 3, savedAt))
  const newEdit = atom(0xff5, u32(0, 0, at + firstPlaces.length, savedAt + saved.length, 1, 5, 0))
  const stream = Buffer.concat([...parts, firstPlaces, firstEdit, saved, newPlaces, newEdit])
  const mark = isEncrypted ? 0xf3d1c4df : 0xe391c05f
  return office({
    'PowerPoint Document': stream,
    'Current User': Buffer.concat([u32(0, 0, 20, mark, stream.length - newEdit.length), Buffer.alloc(20)]),
  })
}
