// The languages of the documents in the overview, and the recommendation of the multilingual model.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { settled } from '../server.ts'
import { documentOf, start } from './setup.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'pharos-languages-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))
let service = await start({ EMBEDDING: 'local' }, { dataDir })

const TEXTS = {
  en: 'The application for leave has to be with the office two weeks before it begins.',
  de: 'Der Antrag auf Urlaub muss zwei Wochen vor seinem Beginn bei der Verwaltung sein.',
  fr: "La demande de congé doit être chez l'administration deux semaines avant son début.",
}

/** Sends a document, which replaces the one with the same number. */
const push = (language: keyof typeof TEXTS, number: number) =>
  service.push(
    documentOf(`${TEXTS[language]} ${number}`, { id: `document-${number}`, semantic_identifier: `${number}` }),
  )

const remove = (number: number) =>
  service.ok('DELETE', `/service-api/ingestion/document-${number}?wait_for=indexed&timeout_ms=30000`)

async function overview() {
  await settled(service.server)
  const { documents, document_languages, model_recommendation } = await service.ok('GET', '/admin/overview')
  return { documents, document_languages, model_recommendation }
}

const counts = (all: Record<string, number>) =>
  Object.entries(all).map(([language, documents]) => ({ language, documents }))

test('an index without documents has no languages', async () => {
  const document_languages = { languages: [], other_documents: 0 }
  assert.deepEqual(await overview(), { documents: 0, document_languages, model_recommendation: null })
})

test('the multilingual model is recommended once a fifth of fifty documents is not in English', async () => {
  for (let number = 0; number < 49; number++) await push(number < 39 ? 'en' : number < 45 ? 'de' : 'fr', number)
  const fewer = await overview()
  assert.deepEqual(fewer.document_languages, { languages: counts({ en: 39, de: 6, fr: 4 }), other_documents: 0 })
  assert.equal(fewer.model_recommendation, null)
  await push('en', 49)
  const { documents, document_languages, model_recommendation } = await overview()
  assert.equal(documents, 50)
  assert.deepEqual(document_languages.languages, counts({ en: 40, de: 6, fr: 4 }))
  const { estimated_s, ...recommendation } = model_recommendation
  assert.deepEqual(recommendation, {
    share: 0.2,
    languages: counts({ de: 6, fr: 4 }),
    other_documents: 0,
    passages: 50,
  })
  assert.ok(Number.isInteger(estimated_s) && estimated_s > 0, `${estimated_s} s`)
})

test('it is no longer recommended when documents are deleted or replaced', async () => {
  await push('en', 50)
  assert.equal((await overview()).model_recommendation, null)
  await remove(0)
  assert.equal((await overview()).model_recommendation?.share, 0.2)
  await push('en', 39)
  const replaced = await overview()
  assert.deepEqual(replaced.document_languages.languages, counts({ en: 41, de: 5, fr: 4 }))
  assert.equal(replaced.model_recommendation, null)
  await push('de', 1)
  await push('fr', 2)
  const { document_languages, model_recommendation } = await overview()
  assert.deepEqual(document_languages.languages, counts({ en: 39, de: 6, fr: 5 }))
  assert.equal(model_recommendation?.share, 0.22)
  await remove(44)
  const deleted = await overview()
  assert.equal(deleted.documents, 49)
  assert.equal(deleted.model_recommendation, null)
})

test('the counts survive a restart, and without the local model nothing is recommended', async () => {
  await push('fr', 51)
  assert.equal((await overview()).model_recommendation?.share, 0.22)
  await service.server.stop()
  for (const [EMBEDDING, isRecommended] of [
    ['local', true],
    ['off', false],
  ] as const) {
    service = await start({ EMBEDDING }, { dataDir })
    const { document_languages, model_recommendation } = await overview()
    assert.deepEqual(document_languages.languages, counts({ en: 39, fr: 6, de: 5 }))
    assert.equal(model_recommendation !== null, isRecommended)
    await service.server.stop()
  }
})
