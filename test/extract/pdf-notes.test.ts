// Notes, form fields and attached files of PDFs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { extract } from './open-extractor.ts'
import { pdf, writeObjects } from './pdf-writer.ts'

const ANNOTATION = '/Type/Annot/Rect[0 0 9 9]'

/** One page with annotations; `fields` are annotations of a form. */
function annotated(
  annotations: readonly string[],
  { fields = [], files = [] }: { fields?: string[]; files?: File[] } = {},
) {
  const objects: string[] = []
  const all = [...annotations, ...fields]
  const first = 4
  const firstFile = first + all.length
  const refs = (from: number, count: number) => Array.from({ length: count }, (_, at) => `${from + at} 0 R`).join(' ')
  const names = files.map((it, at) => `(${it.name})${firstFile + at * 2 + 1} 0 R`).join(' ')
  objects.push(
    `<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[${refs(first + annotations.length, fields.length)}]>>/Names<</EmbeddedFiles<</Names[${names}]>>>>>>`,
    '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Annots[${refs(first, all.length)}]>>`,
    ...all.map((it) => `<<${ANNOTATION}${it}>>`),
  )
  files.forEach((it, at) => {
    objects.push(
      `<</Type/EmbeddedFile/Filter/FlateDecode/Length ${it.packed.length}>>\nstream\n${it.packed.toString('latin1')}\nendstream`,
      `<</Type/Filespec/F(${it.name})/UF(${it.name})/EF<</F ${firstFile + at * 2} 0 R>>>>`,
    )
  })
  return writeObjects(objects, '/Root 1 0 R')
}

interface File {
  name: string
  packed: Buffer
}
const file = (name: string, bytes: string | Buffer): File => ({ name, packed: deflateSync(bytes) })

test('notes and pop-ups are read once, links are not', async () => {
  const found = await extract(
    annotated([
      '/Subtype/Text/Contents(Check the depth)',
      '/Subtype/Popup/Contents(Check the depth)',
      '/Subtype/FreeText/Contents(Low tide\\rat noon)',
      '/Subtype/Link/Contents(a link)',
      '/Subtype/Highlight',
    ]),
    'a.pdf',
  )
  assert.deepEqual(found.sections, [
    { heading: null, anchor: 'page=1', text: 'Comments:\nCheck the depth\nLow tide at noon' },
  ])
  assert.deepEqual(found.report.warnings, [])
})

test('form fields have their name and value; empty and unchecked ones are left out', async () => {
  const found = await extract(
    annotated([], {
      fields: [
        '/Subtype/Widget/FT/Tx/T(name)/TU(Full name)/V(Ada Lovelace)',
        '/Subtype/Widget/FT/Tx/T(street)/V()',
        '/Subtype/Widget/FT/Ch/Ff 131072/T(port)/Opt[[(hh)(Hamburg)][(hb)(Bremen)]]/V(hb)',
        '/Subtype/Widget/FT/Btn/T(pilot)/AS/On/V/On/AP<</N<</On<<>>/Off<<>>>>>>',
        '/Subtype/Widget/FT/Btn/T(tug)/AS/Off/V/Off/AP<</N<</On<<>>/Off<<>>>>>>',
      ],
    }),
    'a.pdf',
  )
  assert.deepEqual(
    found.sections.map((it) => it.text),
    ['Form fields:\nFull name: Ada Lovelace\nport: Bremen\npilot: On'],
  )
})

test('attached files are parts; equal ones come once', async () => {
  const found = await extract(
    annotated([], {
      files: [
        file('costs.csv', 'Item,Cost\nRope,12'),
        file('inner.pdf', pdf([{ text: 'Inner page' }])),
        file('costs.csv', 'Item,Cost\nRope,12'),
      ],
    }),
    'a.pdf',
  )
  assert.deepEqual(
    found.parts.map((it) => [it.name, it.report.kind, it.sections[0]?.text]),
    [
      ['costs.csv', 'csv', '| Item | Cost |\nRope | 12'],
      ['inner.pdf', 'pdf', 'Inner page'],
    ],
  )
})

test('an attached file that unpacks to more than the limit ends the reading, after the text', async () => {
  const bomb = annotated(['/Subtype/Text/Contents(Before)'], {
    files: [file('bomb.txt', Buffer.alloc(3_000_000, 'a'))],
  })
  const { report, sections, parts } = await extract(bomb, 'a.pdf', { limits: { decodedBytes: 1_000_000 } })
  assert.deepEqual([report.verdict, report.warnings[0]?.detail], ['limit', 'decodedBytes'])
  assert.deepEqual([sections.map((it) => it.text), parts], [['Comments:\nBefore'], []])
})

test('attached files deeper than the limit are skipped with a warning', async () => {
  const outer = annotated([], { files: [file('a.txt', 'text')] })
  const { report } = await extract(outer, 'a.pdf', { limits: { depth: 0 } })
  assert.deepEqual(
    report.warnings.map((it) => it.code),
    ['member_skipped', 'limit_hit'],
  )
})
