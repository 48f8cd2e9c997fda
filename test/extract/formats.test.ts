// The extraction of a small file of each format.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { docx, epub, odp, ods, odt, pptx, xlsx } from './office-files.ts'
import { extract } from './open-extractor.ts'
import { pdf } from './pdf-writer.ts'

type Expected = [heading: string | null, anchor: string | null, text: string][]
interface Case {
  name: string
  bytes: string | Buffer
  kind: string
  title?: string
  author?: string
  pages?: number
  sections: Expected
}

const cases: Case[] = [
  {
    name: 'a.txt',
    bytes: 'A line.\r\nTwo\0 \n\n\n\n\nthree and more',
    kind: 'text',
    sections: [[null, null, 'A line.\nTwo\n\nthree and more']],
  },
  { name: 'utf16.txt', bytes: Buffer.from('\ufeffGrüße', 'utf16le'), kind: 'text', sections: [[null, null, 'Grüße']] },
  {
    name: 'a.md',
    bytes:
      '---\ntitle: "Front"\n---\nIntro\n\n# One & *two*\n\nText [link](http://x) `code` &amp;\n\n- a\n  - b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```\n# no heading\n```\n## One & two\nend',
    kind: 'markdown',
    title: 'Front',
    sections: [
      [null, null, 'Intro'],
      ['One & two', 'one--two', 'Text link code &\n\n- a\n  - b\n\n| x | y |\n1 | 2\n\n# no heading'],
      ['One & two', 'one--two-1', 'end'],
    ],
  },
  {
    name: 'a.html',
    bytes:
      '<!doctype html><html lang=en><head><title>Page &lt;1&gt;</title><meta name=author content="Ada"></head><body><header>Logo</header><nav><a href=/>Home</a></nav><main><h1>Top</h1><p>Hello <b>big</b> world</p><script>no()</script><h2 id="part two">Part</h2><table><tr><th>a<th><p>b</p><tr><td>1<td>2</table><ul><li>x<li>y</ul><pre>a\n  b</pre></main><footer>Imprint</footer></body></html>',
    kind: 'html',
    title: 'Page <1>',
    author: 'Ada',
    sections: [
      ['Top', null, 'Hello big world'],
      ['Part', 'part%20two', '| a | b |\n1 | 2\n- x\n- y\na\n  b'],
    ],
  },
  {
    name: 'a.csv',
    bytes: 'Name;Cost\n"Chair; red";12\n\n',
    kind: 'csv',
    sections: [[null, null, '| Name | Cost |\nChair; red | 12']],
  },
  { name: 'a.tsv', bytes: 'a\tb,c\n1\t2', kind: 'tsv', sections: [[null, null, '| a | b,c |\n1 | 2']] },
  {
    name: 'a.json',
    bytes: '{"a":{"b":[1,"x"]},"c":null,"d":true}',
    kind: 'json',
    sections: [[null, null, 'a.b.0: 1\na.b.1: x\nd: true']],
  },
  { name: 'a.jsonl', bytes: '{"a":1}\n{"a":2}\n', kind: 'json', sections: [[null, null, 'a: 1\n\na: 2']] },
  { name: 'a.yaml', bytes: '# why\na: 1\n', kind: 'yaml', sections: [[null, null, '# why\na: 1']] },
  {
    name: 'a.xml',
    bytes: '<?xml version="1.0"?><a><b>one &amp; two</b><c x="no"/>three<![CDATA[<four>]]></a>',
    kind: 'xml',
    sections: [[null, null, 'one & two\nthree<four>']],
  },
  {
    name: 'a.pdf',
    bytes: pdf([{ text: 'Hello page one\nSecond line' }, { text: 'Page two' }], {
      outline: [{ title: 'Beginning', page: 0 }],
      info: { Title: 'A (short) paper', Author: 'Ada', CreationDate: "D:20260301100000+01'00'" },
    }),
    kind: 'pdf',
    title: 'A (short) paper',
    author: 'Ada',
    pages: 2,
    sections: [
      ['Beginning', 'page=1', 'Hello page one\nSecond line'],
      ['Beginning', 'page=2', 'Page two'],
    ],
  },
  {
    name: 'a.docx',
    bytes: docx(),
    kind: 'docx',
    title: 'Plan & Budget',
    author: 'Ada Lovelace',
    sections: [
      [null, null, 'Before any heading'],
      ['First steps', 'first-steps', 'One bold word\ttabbed\n- first point\nName | Cost\nChair | 12'],
      ['Second', 'second', 'shape'],
      ['Footnotes', null, 'A note below.'],
    ],
  },
  {
    name: 'a.pptx',
    bytes: pptx(),
    kind: 'pptx',
    title: 'Plan & Budget',
    author: 'Ada Lovelace',
    pages: 2,
    sections: [
      ['Welcome', 'slide=1', 'Point one\nPoint two\nx | y\n\nNotes: Say hello'],
      ['Last', 'slide=2', 'The end'],
    ],
  },
  {
    name: 'a.xlsx',
    bytes: xlsx(),
    kind: 'xlsx',
    title: 'Plan & Budget',
    author: 'Ada Lovelace',
    pages: 2,
    sections: [
      ['Costs 2026', 'sheet=Costs%202026', 'Item | Cost | When\n椅子 | 0.3 | 2026-03-01 | TRUE | 25% | #DIV/0!'],
      ['Empty', 'sheet=Empty', ''],
    ],
  },
  {
    name: 'a.odt',
    bytes: odt(),
    kind: 'odt',
    title: 'Open plan',
    author: 'Ada',
    sections: [['Chapter one', 'chapter-one', 'Some  spaced text\n- a point\na | b']],
  },
  {
    name: 'a.ods',
    bytes: ods(),
    kind: 'ods',
    title: 'Open plan',
    author: 'Ada',
    pages: 1,
    sections: [['Costs', 'sheet=Costs', '12 € | end']],
  },
  {
    name: 'a.odp',
    bytes: odp(),
    kind: 'odp',
    title: 'Open plan',
    author: 'Ada',
    pages: 1,
    sections: [['Hello', 'slide=1', 'World\nNotes:\nSmile']],
  },
  {
    name: 'a.epub',
    bytes: epub(),
    kind: 'epub',
    title: 'A Book',
    author: 'Jane',
    pages: 2,
    sections: [
      ['Chapter 1', 'OEBPS/text/one%201.xhtml#c1', 'It was a dark night.'],
      [null, 'OEBPS/two.xhtml', 'The end.'],
    ],
  },
  {
    name: 'a.rtf',
    bytes:
      "{\\rtf1\\ansi\\ansicpg1252\\uc1{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Arial;}}{\\info{\\title A title}{\\author Ada}}{\\*\\generator x}\\f0 Caf\\'e9 \\u8364? \\b bold\\b0\\par {\\f1 \\'cf\\'f0\\'e8}\\par\\trowd a\\cell b\\cell\\row {\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt link}}}",
    kind: 'rtf',
    title: 'A title',
    author: 'Ada',
    sections: [[null, null, 'Café € bold\nПри\na | b\nlink']],
  },
]

for (const { name, bytes, kind, title, author, pages, sections } of cases)
  test(`${name} is read as ${kind}`, async () => {
    const found = await extract(bytes, name)
    assert.deepEqual(
      found.sections.map((it) => [it.heading, it.anchor, it.text]),
      sections,
    )
    assert.deepEqual([found.title, found.metadata.author], [title ?? null, author ?? null])
    const characters = sections.reduce((sum, [, , text]) => sum + text.length, 0)
    assert.deepEqual(found.report, {
      kind,
      verdict: 'ok',
      pages: pages ?? null,
      characters,
      unreadPages: [],
      warnings: [],
    })
  })

test('dates are in UTC', async () => {
  const info = { CreationDate: "D:20260301100000+01'00'", ModDate: 'D:2026' }
  const { metadata } = await extract(pdf([{ text: 'x' }], { info }), 'a.pdf')
  assert.deepEqual(metadata, {
    author: null,
    created: '2026-03-01T09:00:00.000Z',
    modified: '2026-01-01T00:00:00.000Z',
    language: 'en',
  })
})

test('a gzipped text is a part of the gzip file', async () => {
  const { report, parts } = await extract(gzipSync('hello'), 'logs/a.txt.gz')
  assert.deepEqual(
    [report.kind, parts[0]?.name, parts[0]?.report.kind, parts[0]?.sections[0]?.text],
    ['gzip', 'a.txt', 'text', 'hello'],
  )
})
