import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BUILT_IN_TOOLS } from '../../src/tools/built-in-tools.ts'
import en from '../../web/src/text/en.json' with { type: 'json' }

test('every built-in tool has a name and a description in the language of the person', () => {
  const ids = BUILT_IN_TOOLS.map(({ row }) => row.in_code_tool_id)
  assert.deepEqual(Object.keys(en.admin.tools.built_in_tools).sort(), ids.sort())
})
