// Randomly mutated files: flipped bytes, removed, duplicated and swapped ranges, large numbers.
// Each must end in a verdict in time, and an intact file must be readable afterwards.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createExtractor } from '../../src/extract/extract.ts'
import { chooseSeed, type Random, seeded } from '../random.ts'
import { doc, IN_TABLE, ppt, ROW_END, xls } from './binary-office.ts'
import { msg } from './msg-writer.ts'
import { docx, epub, flatOdp, odp, ods, odt, pptx, xlsx } from './office-files.ts'
import { pdf } from './pdf-writer.ts'
import { xlsb } from './xlsb-writer.ts'
import { entriesOf, tar, zip } from './zip-writer.ts'

const text = (value: string) => Buffer.from(value)
const paper = pdf([{ text: 'One page (of two)\nwith lines' }, { image: true, text: 'two' }], {
  outline: [{ title: 'Beginning', page: 0 }],
  info: { Title: 'A paper', CreationDate: 'D:20260301100000Z' },
})

export const SEEDS: Readonly<Record<string, Buffer>> = {
  'a.pdf': paper,
  'locked.pdf': pdf([{ text: 'secret' }], { password: 'p' }),
  'a.docx': docx(),
  'a.pptx': pptx(),
  'a.xlsx': xlsx(),
  'a.xlsb': xlsb(),
  'a.odt': odt(),
  'a.ods': ods(),
  'a.odp': odp(),
  'a.fodp': text(flatOdp('<office:master-styles/>', '<office:body><text:p>Chart</text:p></office:body>')),
  'a.epub': epub(),
  'a.rtf': text(
    "{\\rtf1\\ansi\\uc1{\\fonttbl{\\f1\\fcharset204 A;}}\\f1 Caf\\'e9\\u8364? \\par\\trowd a\\cell\\row{\\*\\x y}\\bin4 abcd}",
  ),
  'a.msg': msg(),
  'a.doc': doc({
    text: 'Plan\rText \x13PAGE\x141\x15\rName\x07Cost\x07\x07end\r',
    footnotes: 'note\r',
    headers: 'head\r',
    formats: { 0: { style: 1 }, 2: { properties: IN_TABLE }, 3: { properties: IN_TABLE }, 4: { properties: ROW_END } },
    deleted: [1, 3],
  }),
  'a.xls': xls(),
  'a.ppt': ppt(),
  'a.eml': text(
    `From: a@b.c\r\nDate: Sun, 1 Mar 2026 10:00:00 +0100\r\nSubject: =?utf-8?q?x=C3=BC?=\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>a=3Db</p>\r\n--x\r\nContent-Disposition: attachment; filename=a.txt\r\nContent-Transfer-Encoding: base64\r\n\r\n${text('attached').toString('base64')}\r\n--x--`,
  ),
  'a.html': text(
    '<!doctype html><title>t</title><main><h1 id=x>a</h1><table><tr><td>b<td>c</table><ul><li>d</ul><pre>e\n f</pre>&amp;&#x41;</main>',
  ),
  'a.md': text(
    '# a\n\n- b\n  1. c\n\n> d **e** [f](g) `h`\n\n| i | j |\n|--|--|\n| k | l |\n\n```\nm\n```\n<b>n</b> &amp;\n',
  ),
  'a.xml': text('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a d="e">&b;<!-- f --><![CDATA[g]]><h/></a>'),
  'a.json': text('{"a":[1,"b",{"c":null}],"d":1e9}'),
  'a.csv': text('a;b\n"c ""d"";";1\n'),
  'a.zip': zip({ 'a.txt': 'one', 'dir/b.pdf': paper, 'c.docx': docx() }),
  'a.tar': tar([
    { name: 'a.txt', data: 'one' },
    { name: 'b', type: '2', link: 'a' },
    { name: 'c.pdf', data: 'x'.repeat(700) },
  ]),
  'a.tgz': gzipSync(tar([{ name: 'a.txt', data: 'one' }])),
}

const INTERESTING = [0, 1, 0x7f, 0x80, 0xff]
const PIECES = [
  '(',
  '<<',
  '>>',
  '<',
  '>',
  '&',
  '"',
  '{',
  '}',
  '\\',
  '99999999999',
  '-1',
  '\0\0\0\0',
  '\xff\xff\xff\xff',
  'PK\x03\x04',
  '/Length 9999999',
  '\n\n',
]

/** Mutates an archive or its members. Mutated compressed data would only ever be damaged. */
export function mutate(seed: Buffer, random: Random): Buffer {
  const entries = entriesOf(seed)
  if (entries === undefined || random.below(4) === 0) return changed(seed, random)
  const at = random.below(entries.length)
  return zip(
    entries.map((it, other) => (other === at ? { ...it, data: mutate(Buffer.from(it.data as Buffer), random) } : it)),
  )
}

function changed(seed: Buffer, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(seed)
  for (let changes = 1 + random.below(6); changes > 0; changes--) bytes = change(bytes, random)
  return bytes
}

function change(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1)
  const length = random.below(1 + Math.min(200, bytes.length - at))
  const piece = bytes.subarray(at, at + length)
  const others = [bytes.subarray(0, at), bytes.subarray(at + length)] as const
  switch (random.below(6)) {
    case 0: // Replaces a byte.
      if (at < bytes.length) bytes[at] = random.below(256)
      return bytes
    case 1:
      if (at < bytes.length) bytes[at] = INTERESTING[random.below(INTERESTING.length)]!
      return bytes
    case 2: // Removes a range.
      return Buffer.concat(others)
    case 3: // Repeats a range.
      return Buffer.concat([others[0], ...Array.from({ length: 1 + random.below(20) }, () => piece), others[1]])
    case 4: // Inserts foreign bytes.
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(PIECES[random.below(PIECES.length)]!, 'latin1'),
        bytes.subarray(at),
      ])
    default: // Truncates the file.
      return random.below(4) === 0 ? Buffer.from(bytes.subarray(0, at)) : bytes
  }
}

const TIME_MS = 10_000
const VERDICTS = new Set(['ok', 'limit', 'damaged', 'password', 'unsupported'])

export async function readMutations(t: TestContext, name: string, count: number): Promise<void> {
  const seedNumber = chooseSeed((line) => t.diagnostic(line))
  const random = seeded(seedNumber)
  const extractor = createExtractor({ processes: 2 })
  const { signal } = new AbortController()
  const verdicts = new Map<string, number>()
  const ends: string[] = []
  const readOne = async (bytes: Buffer) => {
    const started = performance.now()
    const { report } = await extractor.extract({
      source: { bytes },
      file_name: name,
      limits: { timeMs: TIME_MS },
      signal,
    })
    assert.ok(VERDICTS.has(report.verdict))
    // The time limit plus a margin for slow machines.
    assert.ok(performance.now() - started < TIME_MS * 4, `SEED=${seedNumber} took ${performance.now() - started} ms`)
    verdicts.set(report.verdict, (verdicts.get(report.verdict) ?? 0) + 1)
    ends.push(...report.warnings.filter((it) => /^The reader process crashed/.test(it.detail)).map((it) => it.detail))
  }
  try {
    for (let done = 0; done < count; done += 2)
      await Promise.all([readOne(mutate(SEEDS[name]!, random)), readOne(mutate(SEEDS[name]!, random))])
    const sound = await extractor.extract({ source: { bytes: paper }, file_name: 'a.pdf', signal })
    assert.equal(sound.report.verdict, 'ok')
  } finally {
    await extractor.close()
  }
  t.diagnostic(`${name}: ${JSON.stringify(Object.fromEntries(verdicts))}, readers that ended: ${ends.length}`)
}
