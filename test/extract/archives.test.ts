// Contents of archives and mails, and members that are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Extraction } from '../../src/extract/extract.ts'
import { docx } from './office-files.ts'
import { extract } from './open-extractor.ts'
import { pdf } from './pdf-writer.ts'
import { tar, zip } from './zip-writer.ts'

const texts = ({ parts }: Extraction) => parts.map((it) => [it.name, it.report.kind, it.sections[0]?.text])
const warnings = ({ report }: Extraction) => report.warnings.map(({ code, detail }) => [code, detail])

test('members of a ZIP become parts', async () => {
  const found = await extract(
    zip({ 'dir/': '', 'dir/ä.txt': 'one', 'b.pdf': pdf([{ text: 'two' }]), '__MACOSX/x': 'litter' }),
    'a.zip',
  )
  assert.deepEqual(texts(found), [
    ['dir/ä.txt', 'text', 'one'],
    ['b.pdf', 'pdf', 'two'],
  ])
  assert.deepEqual([found.report.verdict, found.report.warnings], ['ok', []])
})

test('a ZIP with a wrong length of its comment, or with bytes behind its end, is read', async () => {
  const whole = zip({ 'a.txt': 'First' })
  const cut = Buffer.from(whole)
  cut.writeUInt16LE(1, cut.length - 2)
  for (const bytes of [cut, Buffer.concat([whole, Buffer.alloc(1_000)])]) {
    const { report, parts } = await extract(bytes, 'a.zip')
    assert.deepEqual([report.verdict, parts.map((it) => it.sections[0]?.text)], ['ok', ['First']])
  }
})

test('members of a compressed TAR become parts, and links are not followed', async () => {
  const bytes = tar([
    { name: 'a.txt', data: 'one' },
    { name: 'b', type: '2', link: '/etc/passwd' },
    { name: 'c', type: '1', link: 'a.txt' },
    { name: 'd', type: '6' },
    { name: '../e.txt', data: 'two' },
  ])
  const found = await extract(gzipSync(bytes), 'a.tgz')
  // A path that leads out of a TAR leads to its root, as with the tar command.
  assert.deepEqual(texts(found), [
    ['a.txt', 'text', 'one'],
    ['e.txt', 'text', 'two'],
  ])
  assert.deepEqual(warnings(found), [
    ['member_skipped', '"b": a link'],
    ['member_skipped', '"c": a link'],
    ['member_skipped', '"d": not a file'],
  ])
})

/** The extended header of POSIX, which names the next member. */
const paxName = (path: string) => {
  const record = ` path=${path}\n`
  const bytes = Buffer.byteLength(record)
  const length = [1, 2, 3].map((digits) => bytes + digits).find((it) => String(it).length === it - bytes)
  return { name: 'PaxHeader', type: 'x', data: `${length}${record}` }
}

test('members of a TAR keep spaces and the length of their names', async () => {
  const name = `a folder/${'long '.repeat(30)}=.txt`
  const found = await extract(tar([paxName(name), { name: 'short', data: 'one' }]), 'a.tar')
  assert.deepEqual(texts(found), [[name, 'text', 'one']])
})

test('absolute names of a TAR are read from its root', async () => {
  const names = ['/abs/a.txt', 'C:\\b.txt', './c.txt', 'd/../../e.txt']
  const found = await extract(tar(names.map((name) => ({ name, data: 'x' }))), 'a.tar')
  assert.deepEqual(
    found.parts.map((it) => it.name),
    ['abs/a.txt', 'b.txt', './c.txt', 'e.txt'],
  )
})

test('an empty member of a TAR is not damaged', async () => {
  const found = await extract(tar([{ name: 'empty.txt' }, { name: 'a.txt', data: 'one' }]), 'a.tar')
  assert.deepEqual(
    found.parts.map((it) => it.name),
    ['empty.txt', 'a.txt'],
  )
  assert.deepEqual([found.report.verdict, warnings(found)], ['ok', []])
})

test('a TAR that ends within a member is damaged, and the members before it are read', async () => {
  const bytes = tar([
    { name: 'a.txt', data: 'one' },
    { name: 'b.txt', data: 'x'.repeat(5_000) },
  ])
  const found = await extract(bytes.subarray(0, 3_000), 'a.tar')
  assert.deepEqual(texts(found), [['a.txt', 'text', 'one']])
  assert.equal(found.report.verdict, 'damaged')
})

const REFUSED: [name: string, reason: string][] = [
  ['../../etc/x', 'its name points outside the archive'],
  ['..\\x', 'its name points outside the archive'],
  ['/abs', 'its name is an absolute path'],
  ['C:\\x', 'its name is an absolute path'],
  ['a\u0001b', 'its name has control characters'],
  ['dir/CON.txt', 'its name is a device name'],
  ['x'.repeat(5_000), 'its name is empty or longer than 1,000 characters'],
]
for (const [name, reason] of REFUSED)
  test(`a member named ${JSON.stringify(name.slice(0, 20))} is passed over and reported [Z3]`, async () => {
    const found = await extract(zip({ [name]: 'secret', 'ok.txt': 'fine' }), 'a.zip')
    assert.deepEqual(texts(found), [['ok.txt', 'text', 'fine']])
    const shown = name.replaceAll('\\', '/').slice(0, 200)
    assert.deepEqual(warnings(found), [['member_skipped', `${JSON.stringify(shown)}: ${reason}`]])
  })

test('links, devices and encrypted members are skipped and reported [Z4]', async () => {
  const found = await extract(
    zip([
      { name: 'link', data: '/etc/passwd', mode: 0o120777 },
      { name: 'fifo', data: '', mode: 0o010644 },
      { name: 'locked.txt', data: 'x', encrypted: true },
      { name: 'ok.txt', data: 'fine', mode: 0o100644 },
    ]),
    'a.zip',
  )
  assert.deepEqual(texts(found), [['ok.txt', 'text', 'fine']])
  assert.deepEqual(warnings(found), [
    ['member_skipped', '"link": a symbolic link'],
    ['member_skipped', '"fifo": not a file'],
    ['member_skipped', '"locked.txt": password'],
  ])
})

test('a broken member does not affect the others [Z2]', async () => {
  const bytes = zip([
    { name: 'lies.txt', data: 'x'.repeat(1_000), claimedSize: 10 },
    { name: 'bad.docx', data: 'PK\x03\x04 not really' },
    { name: 'ok.txt', data: 'fine' },
  ])
  const found = await extract(bytes, 'a.zip')
  assert.deepEqual(
    found.parts.map((it) => [it.name, it.report.verdict]),
    [
      ['bad.docx', 'damaged'],
      ['ok.txt', 'ok'],
    ],
  )
  assert.match(found.report.warnings[0]?.detail ?? '', /"lies.txt": damaged/)
})

const nested = (depth: number): Buffer =>
  depth === 0 ? Buffer.from('core') : zip({ [depth === 1 ? 'a.txt' : 'a.zip']: nested(depth - 1) })

test('nested archives are opened up to the depth limit [Z1]', async () => {
  const two = await extract(nested(2), 'a.zip')
  assert.equal(two.parts[0]?.parts[0]?.sections[0]?.text, 'core')
  const three = await extract(nested(3), 'a.zip')
  const innermost = three.parts[0]?.parts[0]
  assert.deepEqual([innermost?.report.verdict, innermost?.parts], ['limit', []])
  assert.deepEqual(innermost?.report.warnings[0], { code: 'limit_hit', detail: 'depth' })
})

const MAIL = [
  'From: =?utf-8?q?J=C3=BCrgen?= <j@example.com>',
  'To: Ada <ada@example.com>, bob@example.com',
  'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
  'Date: Sun, 1 Mar 2026 10:00:00 +0100',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=x',
  '',
  '--x',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Hello <b>Ada</b></p><div>Bye</div>',
  '--x',
  'Content-Type: application/octet-stream; name="plan.docx"',
  'Content-Disposition: attachment; filename="plan.docx"',
  'Content-Transfer-Encoding: base64',
  '',
  docx().toString('base64'),
  '--x',
  'Content-Type: message/rfc822',
  '',
  'From: eve@example.com\r\nSubject: Inner\r\nDate: Sun, 1 Mar 2026 10:00:00 +0100\r\n\r\nforwarded text',
  '--x--',
].join('\r\n')

test('a mail has its headers, body and attachments', async () => {
  const found = await extract(MAIL, 'a.eml')
  assert.deepEqual(
    [found.title, found.metadata.author, found.metadata.created],
    ['Grüße', 'Jürgen <j@example.com>', '2026-03-01T09:00:00.000Z'],
  )
  assert.deepEqual(
    found.sections.map((it) => it.text),
    [
      'From: Jürgen <j@example.com>\nTo: Ada <ada@example.com>, bob@example.com\nDate: 2026-03-01T09:00:00.000Z',
      'Hello Ada\nBye',
    ],
  )
  assert.deepEqual(
    found.parts.map((it) => [it.name, it.report.kind, it.title]),
    [
      ['plan.docx', 'docx', 'Plan & Budget'],
      ['attachment-2.eml', 'mail', 'Inner'],
    ],
  )
})

test('a mail is detected by its content', async () => {
  assert.equal((await extract(MAIL, 'no-extension')).report.kind, 'mail')
})
