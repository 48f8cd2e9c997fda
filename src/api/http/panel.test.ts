// A page and an API route share a path: who gets which, and what caches learn about it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { addPanelRoutes, type PanelFile } from './panel.ts'

const fileOf = (path: string, type: string): PanelFile => ({
  ...{ path, type, etag: `"${path}"` },
  ...{ bytes: Buffer.from(`file ${path}`), compressed: new Map() },
})
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const CLIENTS: readonly Record<string, string>[] = [{}, { accept: '*/*' }, { accept: 'application/json' }]

async function openPanel() {
  const app = Fastify()
  const indexFile = fileOf('/index.html', 'text/html; charset=utf-8')
  const files = [fileOf('/assets/x.js', 'text/javascript; charset=utf-8')]
  addPanelRoutes(app, { panel: { indexFile, files }, frameAncestors: [] })
  app.get('/admin/people', () => ({ from: 'api' }))
  app.post('/admin/people', () => ({ from: 'api' }))
  app.get('/api/admin/people', () => ({ from: 'api' }))
  app.get('/chat/:chat_session_id', (_, reply) => reply.code(401).send({ from: 'api' }))
  app.get('/chat/sessions', () => ({ from: 'api' }))
  await app.ready()
  return async (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') => {
    const { statusCode, headers: answered, body } = await app.inject({ method, url, headers })
    return { statusCode, vary: answered.vary, isPage: String(answered['content-type']).startsWith('text/html'), body }
  }
}

test('at a shared path a browser gets the page and a client the answer, and both vary by Accept', async () => {
  const ask = await openPanel()
  const page = await ask('/admin/people', BROWSER)
  assert.deepEqual([page.statusCode, page.isPage, page.vary], [200, true, 'accept, accept-encoding'])
  assert.equal((await ask('/admin/people', BROWSER, 'HEAD')).isPage, true)
  for (const headers of CLIENTS) {
    const { vary, body } = await ask('/admin/people', headers)
    assert.deepEqual([vary, body], ['accept', '{"from":"api"}'])
  }
  assert.equal((await ask('/admin/people', BROWSER, 'POST')).body, '{"from":"api"}')
})

test('an error at a shared path with a parameter, a revalidation and an unknown path vary by Accept', async () => {
  const ask = await openPanel()
  const refused = await ask('/chat/7', { accept: 'application/json' })
  assert.deepEqual([refused.statusCode, refused.vary], [401, 'accept'])
  const same = await ask('/chat/7', { ...BROWSER, 'if-none-match': '"/index.html"' })
  assert.deepEqual([same.statusCode, same.vary], [304, 'accept, accept-encoding'])
  assert.equal((await ask('/nothing', { accept: 'application/json' })).vary, 'accept')
})

test('paths that have no page do not depend on Accept', async () => {
  const ask = await openPanel()
  for (const path of ['/api/admin/people', '/chat/sessions']) {
    const { vary, isPage } = await ask(path, BROWSER)
    assert.deepEqual([vary, isPage], [undefined, false])
  }
  assert.equal((await ask('/assets/x.js', BROWSER)).vary, 'accept-encoding')
})
