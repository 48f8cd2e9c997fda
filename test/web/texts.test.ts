// Every text of the pages is in en.json and de.json, is used, gets its arguments, and is nowhere else.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { IntlMessageFormat } from 'intl-messageformat'
import de from '../../web/src/text/de.json' with { type: 'json' }
import en from '../../web/src/text/en.json' with { type: 'json' }
import { LANGUAGES, preferredLanguage } from '../../web/src/text/language.ts'
import { readTextUses } from './text-uses.ts'

/** German texts that are rightly equal to the English ones: names, and words that both languages have. */
const SAME: ReadonlySet<string> = new Set(linesOf('test/web/same-in-german.txt'))
/** Names of programs, which are the same in every language. */
const NAMES = ['Pharos', 'Samsung Internet', 'Python requests']
/** Code, commands and configuration to copy, and lines of PEM, are the same in every language too. */
const isCode = (text: string): boolean => /^(?:curl |import |npm |scrape_configs:|-----)/.test(text)
/** Folders of pages whose texts are still in the code. The list only shrinks. */
const TEXTS_IN_CODE = linesOf('test/web/texts-in-code.txt')

const english = flatten(en)
const german = flatten(de)

test('German has the texts of English, with the same arguments and elements', () => {
  assert.deepEqual([...german.keys()].sort(), [...english.keys()].sort())
  for (const [key, text] of english)
    assert.deepEqual(argumentsOf(german.get(key) ?? '', 'de'), argumentsOf(text, 'en'), key)
})

test('a German text differs from the English one, unless it is listed as equal', () => {
  const equal = [...english].filter(([key, text]) => german.get(key) === text).map(([key]) => key)
  assert.deepEqual(equal.filter((it) => !SAME.has(it)).sort(), [])
  assert.deepEqual([...SAME].filter((it) => !equal.includes(it)).sort(), [], 'listed, but not equal')
})

const files = readdirSync('web/src', { recursive: true, encoding: 'utf8' })
  .filter((it) => /\.tsx?$/.test(it))
  .map((it) => join('web/src', it))
const uses = files.map((file) => ({ file, ...readTextUses(file, readFileSync(file, 'utf8')) }))

test('every text is used', () => {
  const keys = new Set(uses.flatMap((it) => it.keys.map(({ key }) => key)))
  const prefixes = uses.flatMap((it) => it.prefixes)
  const unused = [...english.keys()].filter((key) => !keys.has(key) && !prefixes.some((it) => key.startsWith(it)))
  assert.deepEqual(unused, [])
})

test('the code gives every argument of a text', () => {
  for (const { file, keys } of uses)
    for (const { key, given } of keys) {
      const text = english.get(key)
      if (text === undefined || given === null) continue
      const missing = argumentsOf(text, 'en').filter((it) => !given.includes(it))
      assert.deepEqual(missing, [], `${file}: ${key}`)
    }
})

test('no text is written into the code', () => {
  for (const { file, written, unreadable } of uses) {
    assert.deepEqual(unreadable, [], `${file}: the key of a text is a literal, or a template that begins with one`)
    if (TEXTS_IN_CODE.some((it) => file.startsWith(it))) continue
    assert.deepEqual(
      written.filter((it) => !NAMES.includes(it) && !isCode(it)),
      [],
      `${file}: these texts belong into web/src/text/en.json and de.json`,
    )
  }
  for (const folder of TEXTS_IN_CODE)
    assert.ok(
      uses.some((it) => it.file.startsWith(folder) && it.written.length > 0),
      `${folder} has no texts in its code any more: take it off the list`,
    )
})

test('the language is the first one of the browser that has texts', () => {
  assert.deepEqual(
    readdirSync('web/src/text')
      .filter((it) => it.endsWith('.json'))
      .sort(),
    [...LANGUAGES].sort().map((it) => `${it}.json`),
  )
  assert.equal(preferredLanguage(['de-AT', 'en']), 'de')
  assert.equal(preferredLanguage(['fr-FR', 'DE']), 'de')
  assert.equal(preferredLanguage(['fr']), 'en')
  assert.equal(preferredLanguage([]), 'en')
})

function flatten(texts: object, path = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const [key, it] of Object.entries(texts))
    if (typeof it === 'string') found.set(path + key, it)
    else for (const [inner, text] of flatten(it, `${path}${key}.`)) found.set(inner, text)
  return found
}

/** The names of the arguments and elements of a message, sorted. Throws if the message cannot be read. */
function argumentsOf(message: string, language: string): string[] {
  const names = new Set<string>()
  const visit = (it: unknown): void => {
    if (typeof it !== 'object' || it === null) return
    // 0 is literal text and 7 the number of a plural; all others name an argument or an element.
    if ('type' in it && 'value' in it && typeof it.type === 'number' && ![0, 7].includes(it.type))
      names.add(String(it.value))
    for (const inner of Object.values(it)) visit(inner)
  }
  visit(new IntlMessageFormat(message, language).getAst())
  return [...names].sort()
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((it) => it !== '')
}
