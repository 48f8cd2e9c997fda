import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Answer, Client } from '../http.ts'
import { needs } from '../needs.ts'
import { startServer } from '../server.ts'
import { compileShim, launchRecorded, readLog, rebuildDisk, temporaryFolder, writeDisk } from './powercut.ts'

const CONNECTOR = {
  name: 'Power cut',
  source: 'intranet',
  input_type: 'poll',
  access_type: 'public',
  connector_specific_config: { base_url: 'https://example.com/', web_connector_type: 'single' },
  refresh_freq: 600,
  prune_freq: 86_400,
}
const DEFINITION = {
  openapi: '3.1.0',
  info: { title: 'Weather', version: '1', description: 'Says the weather' },
  servers: [{ url: 'https://example.com' }],
  paths: { '/weather': { get: { operationId: 'getWeather', summary: 'Weather', responses: {} } } },
}
const TOOL = {
  name: 'Weather',
  description: 'Says the weather',
  definition: DEFINITION,
  custom_headers: [{ key: 'X-Secret', value: 'kept by the secret box' }],
  passthrough_auth: false,
}
const FILE = Buffer.from('bytes that were uploaded just before the power went')

test('a power cut loses no acknowledged connector, tool, secret, key or file', needs('gcc'), async (t) => {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const before = await launchRecorded(await compileShim(t), folder)
  const connector = idOf(await before.api('POST', '/manage/admin/connector', CONNECTOR))
  await ok(before.api('PUT', `/manage/admin/connector/${connector}/credential/0`))
  const tool = idOf(await before.api('POST', '/admin/tool/custom', TOOL))
  const toolBefore = await ok(before.api('GET', `/tool/${tool}`))
  const key = await ok(before.api('POST', '/admin/api-key', { name: 'Kept', role: 'basic' }))
  await upload(before.url, before.key)
  await before.kill()

  const records = readLog(join(folder, 'disk.log'))
  const disk = rebuildDisk(records, { after: records.length })
  assert.ok(
    [...disk.values()].some((bytes) => bytes.equals(FILE)),
    'the uploaded bytes are on the disk',
  )
  const dataDir = await mkdtemp(join(tmpdir(), 'pharos-cut-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  await writeDisk(disk, dataDir)
  const after = await startServer({ dataDir })
  assert.deepEqual(await ok(after.api('GET', `/tool/${tool}`)), toolBefore)
  assert.match(JSON.stringify(await ok(listing(after.api))), /Power cut/)
  const { api_key } = key as { api_key: string }
  await ok(after.api('GET', '/me', undefined, { authorization: `Bearer ${api_key}` }))
})

const listing = (api: Client) => api('POST', '/manage/admin/connector/indexing-status', {})

async function ok(asked: Promise<Answer>): Promise<unknown> {
  const { status, body } = await asked
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

function idOf({ status, body }: Answer): number {
  assert.equal(status, 200, JSON.stringify(body))
  return (body as { id: number }).id
}

async function upload(url: string, key: string): Promise<void> {
  const form = new FormData()
  form.append('file', new Blob([FILE]), 'last.txt')
  const answer = await fetch(`${url}/user/file/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  })
  assert.equal(answer.status, 200, await answer.text())
}
