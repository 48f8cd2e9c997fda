// Hostile files: each ends in a verdict, and the next file is read normally.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DEFAULT_LIMITS, type Extraction } from '../../src/extract/extract.ts'
import { documentXml, docx, lockedOdt, SHEET, xlsx } from './office-files.ts'
import { extract } from './open-extractor.ts'
import { type PdfPage, pdf } from './pdf-writer.ts'
import { zip } from './zip-writer.ts'

const verdict = ({ report }: Extraction) => [report.verdict, report.warnings[0]?.code, report.warnings[0]?.detail]
const zeros = Buffer.alloc(20 << 20)

test('a ZIP bomb ends at the ratio limit [Z1 O8]', async () => {
  const found = await extract(zip({ 'ok.txt': 'fine', 'bomb.txt': zeros, 'late.txt': 'late' }), 'a.zip')
  assert.deepEqual(verdict(found), ['limit', 'limit_hit', 'ratio'])
  assert.deepEqual(
    found.parts.map((it) => it.name),
    ['ok.txt'],
  )
  assert.ok(found.report.warnings.some((it) => it.code === 'truncated'))
})

test('a GZIP bomb ends at the ratio limit', async () => {
  assert.deepEqual(verdict(await extract(gzipSync(zeros), 'a.gz')), ['limit', 'limit_hit', 'ratio'])
})

test('members end at the total decompression limit', async () => {
  const limits = { decodedBytes: 100_000 }
  const members = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.txt`, 'x'.repeat(9_000)]))
  const found = await extract(zip(members), 'a.zip', { limits })
  assert.deepEqual([...verdict(found), found.parts.length], ['limit', 'limit_hit', 'decodedBytes', 11])
})

test('members beyond the limit are not read', async () => {
  const members = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${at}.txt`, 'x']))
  const found = await extract(zip(members), 'a.zip', { limits: { members: 10 } })
  assert.deepEqual([...verdict(found), found.parts.length], ['limit', 'limit_hit', 'members', 10])
})

test('a file larger than the limit is not read', async () => {
  const found = await extract('x'.repeat(2_000), 'a.txt', { limits: { inputBytes: 1_000 } })
  assert.deepEqual([...verdict(found), found.sections], ['limit', 'limit_hit', 'inputBytes', []])
})

test('text beyond the character limit is truncated and reported', async () => {
  const found = await extract('x'.repeat(2_000), 'a.txt', { limits: { characters: 1_000 } })
  assert.deepEqual([...verdict(found), found.report.characters], ['limit', 'limit_hit', 'characters', 1_000])
})

test('a long shared string that a sheet repeats ends at the character limit [Z5]', async () => {
  const strings = `<sst><si><t>${'x'.repeat(30_000)}</t></si></sst>`
  const rows = '<row><c t="s"><v>0</v></c></row>'.repeat(2_000)
  const found = await extract(xlsx(`<worksheet><sheetData>${rows}</sheetData></worksheet>`, strings), 'a.xlsx')
  assert.deepEqual(verdict(found), ['limit', 'limit_hit', 'characters'])
})

test('a sheet is read up to the cell limit [Z5]', async () => {
  const found = await extract(xlsx(SHEET), 'a.xlsx', { limits: { cells: 5 } })
  assert.deepEqual(verdict(found), ['limit', 'limit_hit', 'cells'])
})

test('a PDF is read up to the page limit [Z7]', async () => {
  const pages: PdfPage[] = Array.from({ length: 5 }, (_, at) => ({ text: `page ${at}` }))
  const found = await extract(pdf(pages), 'a.pdf', { limits: { pages: 3 } })
  assert.deepEqual(
    [...verdict(found), found.sections.length, found.report.pages],
    ['limit', 'limit_hit', 'pages', 3, 5],
  )
})

test('scanned pages are reported', async () => {
  const found = await extract(pdf([{ image: true }, { text: 'words' }, { image: true }, {}]), 'a.pdf')
  assert.deepEqual(verdict(found), ['ok', 'no_text_layer', '2 of 4 pages are images without text.'])
})

test('encrypted PDFs, documents and workbooks are reported', async () => {
  const ole = Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(500),
    Buffer.from('EncryptedPackage', 'utf16le'),
  ])
  for (const [name, bytes] of [
    ['a.pdf', pdf([{ text: 'secret' }], { password: 'hunter2' })],
    ['a.odt', lockedOdt()],
    ['a.xlsx', ole],
  ] as const) {
    const found = await extract(bytes, name)
    assert.deepEqual([name, ...verdict(found).slice(0, 2), found.sections], [name, 'password', 'password', []])
  }
})

test('a password opens a PDF, inside an archive too; a wrong password is reported differently from none', async () => {
  const locked = pdf([{ text: 'secret' }], { password: 'hünter2' })
  const textOf = async (bytes: Buffer, name: string, password: string) => {
    const { sections, parts } = await extract(bytes, name, { password })
    return [...sections, ...parts.flatMap((it) => it.sections)].map((it) => it.text)
  }
  assert.deepEqual(await textOf(locked, 'a.pdf', 'hünter2'), ['secret'])
  assert.deepEqual(await textOf(zip({ 'a.pdf': locked }), 'a.zip', 'hünter2'), ['secret'])
  assert.deepEqual(await textOf(pdf([{ text: 'open to all' }], { password: '' }), 'b.pdf', 'hünter2'), ['open to all'])
  assert.deepEqual(await textOf(pdf([{ text: 'no lock' }]), 'c.pdf', 'hünter2'), ['no lock'])
  const { report } = await extract(locked, 'a.pdf', { password: 'other' })
  assert.deepEqual([report.verdict, /does not open the document/.test(report.warnings[0]!.detail)], ['password', true])
})

test('scanned pages can be recognised if the PDF opens without a password', async () => {
  const scan = (password: string) => pdf([{ image: true }], { password })
  const pagesOf = async (bytes: Buffer) => (await extract(bytes, 'a.pdf', { password: 'hunter2' })).report.unreadPages
  assert.deepEqual(await pagesOf(scan('')), [0])
  assert.deepEqual(await pagesOf(scan('hunter2')), [])
  const { parts } = await extract(zip({ 'open.pdf': scan(''), 'locked.pdf': scan('hunter2') }), 'a.zip', {
    password: 'hunter2',
    keepsPictures: true,
  })
  assert.deepEqual(
    parts.map((it) => it.scan !== undefined),
    [true, false],
  )
})

test('an encrypted PDF with an empty user password is read', async () => {
  const found = await extract(pdf([{ text: 'open to all' }], { password: '' }), 'a.pdf')
  assert.deepEqual([found.report.verdict, found.sections[0]?.text], ['ok', 'open to all'])
})

const LAUGHS = `<!DOCTYPE w [<!ENTITY a "lol">${'bcdefghij'
  .split('')
  .map((it, at) => `<!ENTITY ${it} "${`&${'abcdefghi'[at]};`.repeat(10)}">`)
  .join('')}]>`

test('entities neither expand nor fetch [Z6]', async () => {
  let calls = 0
  const server = createServer((_, response) => {
    calls++
    response.end('fetched')
  }).listen(0, '127.0.0.1')
  after(() => server.close())
  await new Promise((ready) => server.once('listening', ready))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`
  const doctype = `<!DOCTYPE w SYSTEM "${url}" [<!ENTITY x SYSTEM "${url}"><!ENTITY f SYSTEM "file:///etc/hostname"><!ENTITY % p SYSTEM "${url}">%p;]>`
  const include = `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${url}"/>`
  const bodies = [`${LAUGHS}<a>&j; end</a>`, `${doctype}<a>&x;&f; end</a>`, `<a>${include} end</a>`]
  for (const body of bodies) {
    const found = await extract(`<?xml version="1.0"?>${body}`, 'a.xml')
    assert.equal(found.report.verdict, 'ok')
    assert.match(found.sections[0]?.text ?? '', /end$/)
    assert.ok(found.report.characters < 200)
  }
  const word = documentXml('<w:p><w:r><w:t>&j;&x; end</w:t></w:r></w:p>').replace(
    '<w:document',
    `${LAUGHS}${doctype}<w:document`,
  )
  const found = await extract(docx(word), 'a.docx')
  assert.ok(found.report.characters < 200)
  await extract(`<img src="${url}"><link rel=stylesheet href="${url}"><iframe src="${url}"></iframe>x`, 'a.html')
  assert.equal(calls, 0)
})

const DEEP = 100_000
const deep: [name: string, bytes: string | Buffer][] = [
  ['a.html', `${'<div><b>'.repeat(DEEP)}core`],
  ['b.html', `<ul>${'<li><ul>'.repeat(DEEP)}core`],
  ['a.xml', `<?xml version="1.0"?>${'<a>'.repeat(DEEP)}core`],
  ['a.json', `${'['.repeat(DEEP)}"core"${']'.repeat(DEEP)}`],
  ['b.json', `${'{"a":'.repeat(DEEP)}"core"${'}'.repeat(DEEP)}`],
  ['a.md', `${'> '.repeat(DEEP)}core`],
  ['b.md', `${'['.repeat(DEEP)}core`],
  ['a.rtf', `{\\rtf1 ${'{'.repeat(DEEP)}core${'}'.repeat(DEEP)}}`],
  ['a.docx', docx(documentXml(`${'<w:tbl><w:tr><w:tc>'.repeat(DEEP)}<w:p><w:r><w:t>core</w:t></w:r></w:p>`))],
]
for (const [name, bytes] of deep)
  test(`${DEEP} levels in ${name} end in a verdict [Z14]`, async () => {
    const found = await extract(bytes, name, { limits: { timeMs: 20_000 } })
    assert.ok(found.report.verdict !== 'ok' || found.sections.some((it) => it.text.includes('core')))
  })

test('a file that exceeds the memory limit kills its reader process only', async () => {
  // Less than a fresh process needs, and the file takes longer than the watchdog's interval.
  const found = await extract('<b>x</b> '.repeat(3_000_000), 'a.html', { limits: { memoryBytes: 1 << 20 } })
  assert.deepEqual(verdict(found), ['limit', 'limit_hit', 'memory'])
  assert.equal((await extract(pdf([{ text: 'next' }]), 'a.pdf')).sections[0]?.text, 'next')
})

test('a file that exceeds the time limit ends there, and the next one is read', async () => {
  const found = await extract(`${'<b>x '.repeat(2_000_000)}`, 'a.html', { limits: { timeMs: 1 } })
  assert.deepEqual(verdict(found), ['limit', 'limit_hit', 'time'])
  assert.equal((await extract('<p>next', 'a.html')).sections[0]?.text, 'next')
})

/** Each of them would take a careless pattern exponential or quadratic time. */
const tedious: [name: string, bytes: string | Buffer][] = [
  ['comments.html', '<!-- a -->'.repeat(800)],
  ['comments', `<?xml version="1.0"?>${'<!-- a -->'.repeat(800)}`],
  ['pipes.csv', `"${'| '.repeat(20_000)}x"`],
  ['blanks.txt', `${' '.repeat(60_000)}x`],
  ['blanks.pdf', `${' '.repeat(2_000_000)}x`],
  ['title.md', `---\ntitle:${' '.repeat(19_000)}x${' '.repeat(900)}\ny\n---\ntext`],
  ['row.rtf', `{\\rtf1 ${'a\\cell '.repeat(100_000)}\\row}`],
  ['line.html', `<p>${'x'.repeat(9_000_000)}`],
  ['plaintext.html', `<p>a<plaintext>${'<b>'.repeat(100_000)}`],
]
for (const [name, bytes] of tedious)
  test(`${name} is read in linear time [Z14]`, async () => {
    const { report } = await extract(bytes, name)
    assert.equal(report.verdict, 'ok', JSON.stringify(report.warnings))
  })

test('headings count as text, and sections are limited', async () => {
  const page = '<h1>heading</h1>'.repeat(1_000)
  const few = await extract(page, 'a.html', { limits: { sections: 100 } })
  assert.deepEqual([...verdict(few), few.sections.length], ['limit', 'limit_hit', 'sections', 100])
  const short = await extract(page, 'a.html', { limits: { characters: 700 } })
  assert.deepEqual([...verdict(short), short.sections.length], ['limit', 'limit_hit', 'characters', 100])
})

test('the number of warnings is limited', async () => {
  const items = Array.from({ length: 5_000 }, (_, at) => `<itemref idref="${at}"/><item id="${at}" href="${at}"/>`)
  const found = await extract(
    zip([
      { name: 'mimetype', data: 'application/epub+zip', stored: true },
      { name: 'META-INF/container.xml', data: '<container><rootfile full-path="a"/></container>' },
      { name: 'a', data: `<package>${items.reverse().join('')}${items.join('')}</package>` },
    ]),
    'a.epub',
  )
  assert.equal(found.report.warnings.length, 1_000)
})

test('members that share bytes or a name are counted separately [Z2]', async () => {
  const honest = zip({ 'a.txt': 'x'.repeat(50_000), 'b.txt': 'y'.repeat(50_000) })
  const at = honest.lastIndexOf('PK\x01\x02')
  const shared = Buffer.from(honest)
  // The directory entry of the second member points to the data and name of the first.
  shared.writeUInt32LE(0, at + 42)
  shared.write('a.txt', at + 46)
  const found = await extract(shared, 'a.zip')
  assert.ok(found.parts.length <= 2 && found.parts.every((it) => it.name === 'a.txt'))
  const limited = await extract(shared, 'a.zip', { limits: { decodedBytes: 60_000 } })
  assert.notEqual(limited.parts.length, 2)
})

test('cyclic page trees, scripts and chained filters do no harm [Z7]', async () => {
  const sound = pdf([{ text: 'words' }]).toString('latin1')
  const circle = sound.replace('/Kids[5 0 R]', '/Kids[2 0 R]')
  const script = sound.replace(
    '/Type/Catalog',
    '/Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1);while(true);)>>',
  )
  const filters = sound.replace('<</Length', `<</Filter[${'/FlateDecode'.repeat(10_000)}]/Length`)
  assert.notEqual(circle, sound)
  for (const text of [circle, filters]) {
    const { report } = await extract(Buffer.from(text, 'latin1'), 'a.pdf', { limits: { timeMs: 30_000 } })
    assert.notEqual(report.warnings[0]?.detail, 'time')
  }
  assert.equal((await extract(Buffer.from(script, 'latin1'), 'a.pdf')).sections[0]?.text, 'words')
  assert.equal((await extract(sound, 'a.pdf')).report.verdict, 'ok')
})

const mismatches: [name: string, media: string | null, bytes: string | Buffer, kind: string, warning: string | null][] =
  [
    ['a.png', null, '<!doctype html><p>x', 'html', 'declared as image, contains html'],
    ['a.pdf', null, docx(), 'docx', 'declared as pdf, contains zip'],
    ['a', 'application/pdf', 'plain words', 'text', 'declared as pdf, contains text'],
    ['a.txt', null, '<!doctype html><p>x', 'html', null],
    ['a.pdf', null, `junk${pdf([{ text: 'x' }]).toString('latin1')}`, 'pdf', null],
    ['a', null, '', 'empty', null],
    ['a.bin', null, Buffer.from([1, 0, 2, 0, 0, 0, 255]), 'unknown', null],
  ]
for (const [name, media_type, bytes, kind, warning] of mismatches)
  test(`${name} that begins with ${JSON.stringify(String(bytes).slice(0, 12))} is ${kind}`, async () => {
    const { report } = await extract(Buffer.from(bytes as Buffer), name, { media_type })
    assert.deepEqual(
      [report.kind, report.warnings.find((it) => it.code === 'type_mismatch')?.detail ?? null],
      [kind, warning],
    )
  })

test('a picture without text is unsupported, a container without a directory is damaged', async () => {
  const picture = Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1')
  assert.equal((await extract(picture, 'a')).report.verdict, 'unsupported')
  const container = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(500)])
  assert.equal((await extract(container, 'a')).report.verdict, 'damaged')
})

test('the default limits are as documented', () => {
  const { decodedBytes, ratio, memoryBytes, timeMs, cells } = DEFAULT_LIMITS
  assert.deepEqual([decodedBytes, ratio, memoryBytes, timeMs, cells], [100 << 20, 100, 512 << 20, 60_000, 1_000_000])
})
