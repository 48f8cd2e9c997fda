import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAGES } from '../../src/api/http/panel.ts'
import { NO_IDS } from './no-ids.ts'
import { STATES } from './states.ts'

test('every page is looked at', () => {
  const looked = STATES.map((it) => it.path(NO_IDS).split('?', 1)[0] ?? '')
  const isLooked = (path: string) => {
    const parts = path.split('/')
    return looked.some((it) => {
      const given = it.split('/')
      return given.length === parts.length && parts.every((part, at) => part.startsWith(':') || part === given[at])
    })
  }
  // The extension's addresses and the callbacks lead elsewhere.
  const others = ['/nrf', '/nrf/side-panel', '/oauth-config/callback', '/mcp/oauth/callback']
  assert.deepEqual(
    PAGES.filter((it) => !isLooked(it) && !others.includes(it)),
    [],
    'add the page to test/pages/states.ts',
  )
})
