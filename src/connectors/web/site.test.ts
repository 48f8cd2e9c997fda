import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSite, type SitePage } from './site.ts'

const MENU = ['Products', 'Support', 'Company']
const FOOTER = 'Copyright Example Ltd. All rights reserved.'

/** A page with the menu before and the footer after its own text. */
const pageOf = (name: string, text = `${name} has a text of its own.`): SitePage => ({
  title: `${name} | Example Handbook`,
  sections: [
    { text: MENU.join('\n'), heading: 'Menu', anchor: null },
    { text: `${text}\n\n${FOOTER}`, heading: name, anchor: 'top' },
  ],
})
const learned = (count: number) => {
  const site = createSite(null)
  for (let at = 0; at < count; at++) site.learn(pageOf(`Page ${at} of many`))
  return site
}

test('lines and headings that most pages share are left out, and titles lose the name of the site', () => {
  const { name, sections, leftOut } = learned(20).clean(pageOf('Holidays'))
  assert.equal(name, 'Holidays')
  assert.deepEqual(sections, [{ text: 'Holidays has a text of its own.\n', heading: 'Holidays', anchor: 'top' }])
  assert.deepEqual(leftOut, [...MENU, FOOTER])
})

test('too few pages show nothing', () => {
  const site = learned(19)
  assert.equal(site.isKnown(), false)
  assert.equal(site.save(), null)
  // The lines are shared, but 4 of 4 pages are an accident.
  assert.deepEqual(learned(4).clean(pageOf('Holidays')).leftOut, [])
})

test('the knowledge of an earlier run holds until enough pages were read again', () => {
  const saved = learned(30).save()
  assert.ok(saved !== null)
  const site = createSite(saved)
  assert.equal(site.isKnown(), true)
  assert.deepEqual(site.clean(pageOf('Holidays')).leftOut, [...MENU, FOOTER])
  for (let at = 0; at < 20; at++) site.learn({ title: `Page ${at}`, sections: [] })
  assert.deepEqual(site.clean(pageOf('Holidays')).leftOut, [])
  assert.equal(site.clean(pageOf('Holidays')).name, 'Holidays | Example Handbook')
})

test('a single short line in the middle of a page is content, a long one or a block is not', () => {
  const site = createSite(null)
  const long = 'This page was last reviewed by the department of documentation in the course of the year.'
  const withBlock = (name: string): SitePage => ({
    title: name,
    sections: [
      { text: `${name}\nSynopsis\n${name} 2\n${long}\n${name} 3\na\nb\nc\n${name} 4`, heading: null, anchor: null },
    ],
  })
  for (let at = 0; at < 20; at++) site.learn(withBlock(`Page ${at}`))
  const { sections, leftOut } = site.clean(withBlock('New'))
  assert.deepEqual(leftOut, [long, 'a', 'b', 'c'])
  assert.equal(sections[0]?.text, 'New\nSynopsis\nNew 2\nNew 3\nNew 4')
})

test('the names of columns stay with a row of the page, and go with shared rows', () => {
  const site = createSite(null)
  const table = (name: string): SitePage => ({
    title: name,
    sections: [
      { text: `${name}\n| Name | Type |\n${name} | text\n| Ship | Day |\nAnna | Monday`, heading: null, anchor: null },
    ],
  })
  for (let at = 0; at < 20; at++) site.learn(table(`Page ${at}`))
  const { sections, leftOut } = site.clean(table('New'))
  assert.deepEqual(leftOut, ['| Ship | Day |', 'Anna | Monday'])
  assert.equal(sections[0]?.text, 'New\n| Name | Type |\nNew | text')
})

test('a header above a row of the page stays in a block of shared lines', () => {
  const site = createSite(null)
  const table = (name: string): SitePage => ({
    title: name,
    sections: [{ text: `a\nb\n| Name | Type |\n${name} | text\n${name}`, heading: null, anchor: null }],
  })
  for (let at = 0; at < 20; at++) site.learn(table(`Page ${at}`))
  assert.deepEqual(site.clean(table('New')).leftOut, ['a', 'b'])
})

test('a long text ends a block of shared lines', () => {
  const site = createSite(null)
  const long = 'word '.repeat(300).trim()
  const page = (name: string): SitePage => ({
    title: name,
    sections: [{ text: `${name}\na\nb\n${long}\nc\n${name} end`, heading: null, anchor: null }],
  })
  for (let at = 0; at < 20; at++) site.learn(page(`Page ${at}`))
  assert.deepEqual(site.clean(page('New')).leftOut, [])
})

test('a page that has only shared lines keeps them', () => {
  const page = pageOf('Empty', FOOTER)
  assert.deepEqual(learned(20).clean(page).sections, page.sections)
})

test('a title keeps a word', () => {
  const site = createSite(null)
  for (let at = 0; at < 20; at++) site.learn({ title: `Release notes: 1.${at}`, sections: [] })
  assert.equal(site.clean({ title: 'Release notes: 1.21', sections: [] }).name, 'Release notes: 1.21')
  assert.equal(site.clean({ title: 'Release notes: Beta', sections: [] }).name, 'Beta')
  assert.equal(site.clean({ title: null, sections: [] }).name, null)
})

test('both ends of a title are read', () => {
  const site = createSite(null)
  for (let at = 0; at < 20; at++) site.learn({ title: `Docs: 15: Page ${at} — Example`, sections: [] })
  assert.equal(site.clean({ title: 'Docs: 15: VACUUM — Example', sections: [] }).name, 'VACUUM')
})

test('a note of another version is learned again', () => {
  assert.equal(createSite('{"lines":[]}').isKnown(), false)
})

test('a page of a million lines is cleaned at its ends', () => {
  const site = learned(20)
  const text = Array.from({ length: 1_000_000 }, (_, at) => `line ${at}`).join('\n')
  const started = process.cpuUsage()
  const { leftOut } = site.clean(pageOf('Long', text))
  assert.deepEqual(leftOut, [...MENU, FOOTER])
  assert.ok(process.cpuUsage(started).user < 5_000_000)
})

test('memory is bounded on a site of many different lines', () => {
  const site = createSite(null)
  for (let page = 0; page < 500; page++) {
    const lines = Array.from({ length: 300 }, (_, at) => `line ${page} ${at}`)
    site.learn({
      title: `${page}`,
      sections: [{ text: `${lines.join('\n')}\n${FOOTER}`, heading: null, anchor: null }],
    })
  }
  assert.deepEqual(site.clean(pageOf('Holidays')).leftOut, [FOOTER])
  assert.ok((site.save() ?? '').length < 100)
})
