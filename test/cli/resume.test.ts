// Interrupted ingestions, against a server that answers as many documents as the test wants.
import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { waitFor } from '../server.ts'
import { pharos, startCommand, temporaryFolder } from './pharos.ts'

interface FakeService {
  url: string
  /** Document ids in order of arrival. */
  came: string[]
  /** Withholds answers after this many documents, until it is called again with more. */
  answerFirst(count: number): void
}

const READY = { data: { accepted_seq: 0, indexed_seq: 0, pending: 0, waiting_for: null } }
const BATCH = '/service-api/ingestion/batch'

async function startFakeService({ hasBatches }: { hasBatches: boolean }): Promise<FakeService> {
  const came: string[] = []
  let budget = 0
  let held: { response: ServerResponse; text: string; until: number }[] = []
  const release = () => {
    for (const it of held.filter(({ until }) => until <= budget)) it.response.end(it.text)
    held = held.filter(({ until }) => until > budget)
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    if (request.method === 'GET') {
      response.end(
        JSON.stringify(request.url === '/openapi.json' ? { paths: hasBatches ? { [BATCH]: {} } : {} } : READY),
      )
      return
    }
    const ids = body
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).document.id as string)
    came.push(...ids)
    const answers = ids.map((_, at) => ({ line: at + 1, already_existed: false }))
    const text =
      request.url === BATCH
        ? [...answers, { done: true }].map((it) => JSON.stringify(it)).join('\n')
        : JSON.stringify(answers[0])
    held.push({ response, text, until: came.length })
    release()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    came,
    answerFirst(count) {
      budget = count
      release()
    },
  }
}

const folder = temporaryFolder()
const COUNT = 3_000
const line = (id: string) => JSON.stringify({ document: { id, semantic_identifier: id, sections: [], metadata: {} } })

for (const hasBatches of [false, true])
  for (const signal of ['SIGINT', 'SIGKILL'] as const)
    test(`${hasBatches ? 'in batches' : 'one by one'}, ended by ${signal}, it continues where it stopped`, async () => {
      const path = join(folder, `${hasBatches}-${signal}.jsonl`)
      writeFileSync(path, Array.from({ length: COUNT }, (_, at) => line(`d${at}`)).join('\n'))
      const service = await startFakeService({ hasBatches })
      const env = { PHAROS_URL: service.url, PHAROS_API_KEY: 'pharos_test', XDG_STATE_HOME: join(folder, 'state') }
      service.answerFirst(1_000)
      const first = startCommand(['ingest', path], { env })
      await waitFor(() => service.came.length > 1_000, 'documents', 60_000)
      first.child.kill(signal)
      const { code, error } = await first.ended
      if (signal === 'SIGINT') {
        assert.equal(code, 130)
        assert.match(error, /Stopped after [\d,]+ documents\. Run the same command again to resume\./)
      }
      const before = service.came.splice(0)
      service.answerFirst(Number.POSITIVE_INFINITY)
      const second = await pharos(['ingest', path, '--json'], { env })
      assert.equal(second.code, 0, second.error)
      const { created, resumed_after } = JSON.parse(second.out)
      const missing = Array.from({ length: COUNT }, (_, at) => `d${at}`).filter(
        (id) => !before.includes(id) && !service.came.includes(id),
      )
      assert.deepEqual(missing, [], 'every document was sent')
      assert.equal(created, COUNT)
      if (signal === 'SIGINT') {
        assert.ok(Number(resumed_after) > 0 && Number(resumed_after) <= 1_000)
        assert.deepEqual(service.came[0], `d${resumed_after}`)
      }
    })

test('files of a folder that were added or changed since are read as well', async () => {
  const root = join(folder, 'files')
  mkdirSync(root)
  const names = Array.from({ length: 200 }, (_, at) => `f${String(at).padStart(3, '0')}.txt`)
  for (const name of names) writeFileSync(join(root, name), name)
  const service = await startFakeService({ hasBatches: false })
  const env = { PHAROS_URL: service.url, PHAROS_API_KEY: 'pharos_test', XDG_STATE_HOME: join(folder, 'state') }
  service.answerFirst(100)
  const first = startCommand(['ingest', root], { env })
  await waitFor(() => service.came.length > 100, 'documents', 60_000)
  first.child.kill('SIGINT')
  assert.equal((await first.ended).code, 130)
  appendFileSync(join(root, 'f001.txt'), 'changed')
  writeFileSync(join(root, 'f000a.txt'), 'new')
  rmSync(join(root, 'f002.txt'))
  service.came.splice(0)
  service.answerFirst(Number.POSITIVE_INFINITY)
  assert.equal((await pharos(['ingest', root], { env })).code, 0)
  assert.deepEqual(service.came.slice(0, 2).sort(), ['files/f000a.txt', 'files/f001.txt'])
  assert.ok(service.came.length < 150 && service.came.includes('files/f199.txt'))
  service.came.splice(0)
  assert.equal((await pharos(['ingest', root], { env })).code, 0)
  assert.equal(service.came.length, 200, 'a finished ingestion starts again')
})

test('a changed file or another service starts from the beginning', async () => {
  const path = join(folder, 'changing.jsonl')
  writeFileSync(path, Array.from({ length: 200 }, (_, at) => line(`d${at}`)).join('\n'))
  const service = await startFakeService({ hasBatches: false })
  const env = { PHAROS_URL: service.url, PHAROS_API_KEY: 'pharos_test', XDG_STATE_HOME: join(folder, 'state') }
  service.answerFirst(100)
  const first = startCommand(['ingest', path], { env })
  await waitFor(() => service.came.length > 100, 'documents', 60_000)
  first.child.kill('SIGINT')
  await first.ended
  const other = await startFakeService({ hasBatches: false })
  other.answerFirst(Number.POSITIVE_INFINITY)
  assert.equal((await pharos(['ingest', path], { env: { ...env, PHAROS_URL: other.url } })).code, 0)
  assert.equal(other.came.length, 200)
  appendFileSync(path, `\n${line('d200')}`)
  service.came.splice(0)
  service.answerFirst(Number.POSITIVE_INFINITY)
  assert.equal((await pharos(['ingest', path], { env })).code, 0)
  assert.equal(service.came.length, 201)
})
