import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAGES } from '../../src/api/http/panel.ts'
import type { Filled } from './filled.ts'
import { STATES } from './states.ts'

test('every page is looked at', () => {
  const ids: Filled = { pair: 1, failingPair: 2, group: 3, documentId: 'x', agent: 1, webhook: 4, project: 4 }
  const looked = STATES.map((it) => it.path(ids).split('?', 1)[0] ?? '')
  const isLooked = (path: string) => {
    const parts = path.split('/')
    return looked.some((it) => {
      const given = it.split('/')
      return given.length === parts.length && parts.every((part, at) => part.startsWith(':') || part === given[at])
    })
  }
  // A chat gets its address from the first question; the extension's addresses and the callbacks lead elsewhere.
  const others = ['/chat/:chat_session_id', '/nrf', '/nrf/side-panel', '/oauth-config/callback', '/mcp/oauth/callback']
  assert.deepEqual(
    PAGES.filter((it) => !isLooked(it) && !others.includes(it)),
    [],
    'add the page to test/pages/states.ts',
  )
})
