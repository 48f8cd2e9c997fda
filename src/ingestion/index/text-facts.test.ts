import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textFacts } from './text-facts.ts'

const TITLE = 'Hafen'
const section = (text: string, more: object = {}) => ({ text, image_file_id: null, ...more })
const TABLE = '| Item | Price |\nLamp | 40 EUR\nBell | 7 EUR'

test('sections, characters, tables, pictures and the language are counted', () => {
  const german = 'Der Hafenmeister vergibt die Liegeplätze am Morgen und schließt das Tor am Abend.'
  const sections = [
    section(german),
    section(TABLE),
    section('', { picture: { blob: 'b' } }),
    section('', { image_file_id: 'i' }),
  ]
  assert.deepEqual(textFacts(TITLE, sections), {
    sections: 4,
    characters: german.length + TABLE.length,
    tables: 1,
    pictures: 2,
    language: 'de',
  })
})

test('an empty document has no language', () => {
  assert.deepEqual(textFacts(TITLE, []), { sections: 0, characters: 0, tables: 0, pictures: 0, language: null })
})

test('a very long text is not searched for tables', () => {
  assert.equal(textFacts(TITLE, [section(TABLE), section('word '.repeat(400_001))]).tables, null)
})
