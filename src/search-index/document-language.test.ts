import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectDocumentLanguage } from './document-language.ts'

const chunksOf = (...contents: string[]) => contents.map((content, chunk_ind) => ({ chunk_ind, content, link: null }))

test('the language of a page with a short first chunk is that of the chunks after it', () => {
  const chunks = chunksOf(
    'Tkinter Dialogs¶',
    'The dialogs of this module ask for a text, a number or the name of a file.',
  )
  assert.equal(detectDocumentLanguage({ title: 'Tkinter Dialogs', chunks }), 'en')
})

test('the language of a document without chunks is that of its title', () => {
  assert.equal(detectDocumentLanguage({ title: 'Der Antrag auf Urlaub und die Frist dafür', chunks: [] }), 'de')
})
