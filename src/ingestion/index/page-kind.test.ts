import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recognizePageKind } from './page-kind.ts'

const page = (title: string, text: string, source = 'web') => ({
  title,
  semantic_identifier: title,
  source,
  sections: [{ text, link: null, heading: null, image_file_id: null }],
})
const MODULES =
  'zlib\ngzip\nbz2\nlzma\nzipfile\ntarfile\ncsv\nconfigparser\ntomllib\nnetrc\nplistlib\nhashlib\nhmac\nsecrets\nos\nio'
const CHAPTERS = Array.from({ length: 12 }, (_, at) => `12.${10 + at}. Creating and dropping indexes`).join('\n')
const JOINED = Array.from({ length: 40 }, (_, at) => `abs_${at}() (built-in function)`).join(' ')
const PROSE = 'An index makes a search faster, because it is read instead of the table. '.repeat(4)

const recognized: [title: string, text: string, kind: 'list' | 'changes' | undefined][] = [
  ['Data Compression', MODULES, 'list'],
  ['Chapter 12. Indexes', CHAPTERS, 'list'],
  ['Index — Manual', JOINED, 'list'],
  ['Chapter 12. Indexes', `${CHAPTERS}\n${PROSE}`, undefined],
  ['Indexes', PROSE, undefined],
  ['Holidays', 'Easter Monday\nLabour Day', undefined],
  ['索引', '数据库\n索引\n表\n视图\n约束\n触发器\n函数\n过程\n序列\n模式\n角色\n权限\n事务\n锁\n日志\n备份', undefined],
  ['E.2. Release 15.19', PROSE, 'changes'],
  ['What’s New In Python 3.11', PROSE, 'changes'],
  ['Acme Changelog', PROSE, 'changes'],
  ['Änderungsprotokoll', PROSE, 'changes'],
  ['How we release notes to the press', PROSE, undefined],
]
for (const [title, text, kind] of recognized) {
  test(`the page "${title}" with ${text.length} characters is ${kind ?? 'a page with content'}`, () => {
    assert.equal(recognizePageKind(page(title, text)), kind)
  })
}

test('short lines in a file are notes, not links', () => {
  assert.equal(recognizePageKind(page('Team meeting', MODULES, 'file')), undefined)
})

test('a very long page is recognized by its beginning, in little time', () => {
  const started = performance.now()
  assert.equal(recognizePageKind(page('Names', `${MODULES}\n`.repeat(100_000))), 'list')
  assert.ok(performance.now() - started < 1_000)
})
