import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPassage } from './passage-place.ts'

const section = (text: string, link: string | null = null) => ({ text, link })
const chunk = (content: string, link: string | null = null) => ({ chunk_ind: 0, content, link })

test('a piece of a section', () => {
  const sections = [section('one two'), section('three four five')]
  assert.deepEqual(findPassage(sections, chunk('four')), [{ section: 1, from: 6, to: 10 }])
})

test('a section with its heading', () => {
  const sections = [section('Costs rise.'), section('Costs fall.\nThen they rise.')]
  assert.deepEqual(findPassage(sections, chunk('Year 2\nCosts fall.\nThen they rise.')), [
    { section: 1, from: 0, to: 27 },
  ])
})

test('a piece of a long table behind its repeated header', () => {
  const rows = ['| Item | Price |', '| --- | --- |', '| Lamp | 40 |', '| Bell | 7 |']
  const [header = '', dashes = '', , bell = ''] = rows
  const text = rows.join('\n')
  const place = [{ section: 0, from: text.length - bell.length, to: text.length }]
  assert.deepEqual(findPassage([section(text)], chunk(`${header}\n${dashes}\n${bell}`)), place)
  const marked = [header, 'Lamp | 40', 'Bell | 7'].join('\n')
  assert.deepEqual(findPassage([section(marked)], chunk(`${header}\nBell | 7`)), [
    { section: 0, from: marked.length - 8, to: marked.length },
  ])
})

test('several short sections in one chunk, with headings and empty sections between them', () => {
  const sections = [section('zero'), section(' alpha\n'), section(''), section('beta'), section('gamma')]
  assert.deepEqual(findPassage(sections, chunk('A\nalpha\n\nB\nbeta')), [
    { section: 1, from: 1, to: 6 },
    { section: 3, from: 0, to: 4 },
  ])
})

test('the link tells equal texts apart', () => {
  const sections = [section('Totals', '#sheet=A'), section('Totals', '#sheet=B')]
  assert.deepEqual(findPassage(sections, chunk('Totals', '#sheet=B')), [{ section: 1, from: 0, to: 6 }])
})

test('a text that the document no longer has is nowhere', () => {
  assert.deepEqual(findPassage([section('new'), section('')], chunk('the old text')), [])
  assert.deepEqual(findPassage([], chunk('the old text')), [])
})

test('10,000 sections are searched once for each form of the chunk', () => {
  const sections = Array.from({ length: 10_000 }, (_, at) => section(`section ${at} ${'x'.repeat(500)}`))
  const started = performance.now()
  assert.equal(findPassage(sections, chunk(`Heading\nsection 9999 ${'x'.repeat(500)}`))[0]?.section, 9_999)
  assert.ok(performance.now() - started < 2_000)
})
