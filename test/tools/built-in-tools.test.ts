// The rows of built-in tools: the record follows the definitions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BuiltInToolRow } from '../../src/store/tools/built-in-tools.ts'
import { syncBuiltInTools } from '../../src/store/tools/built-in-tools.ts'
import { BUILT_IN_TOOLS } from '../../src/tools/built-in-tools.ts'
import { temporaryDatabase } from '../temporary-database.ts'

const ROWS = BUILT_IN_TOOLS.map((it) => it.row)
const NEW_TOOL: BuiltInToolRow = {
  in_code_tool_id: 'WeatherTool',
  name: 'weather',
  display_name: 'Weather',
  description: 'Knows the weather.',
  chat_selectable: false,
  default_enabled: true,
}

const { db } = await temporaryDatabase()
const listRows = () => db.selectFrom('tool').selectAll().orderBy('id').execute()
const listPersonaTools = async () =>
  (await db.selectFrom('persona_tool').select('tool_id').where('persona_id', '=', 0).execute()).map((it) => it.tool_id)
const findRow = async (id: string) => (await listRows()).find((it) => it.in_code_tool_id === id)!

test('the rows of the migrations equal their definitions', async () => {
  const before = await listRows()
  await syncBuiltInTools(db, ROWS, 5)
  const after = await listRows()
  assert.deepEqual(after.slice(0, before.length), before)
  assert.equal(after.length, ROWS.length)
})

test('a new tool gets an enabled row, and persona 0 gets the tool', async () => {
  await syncBuiltInTools(db, [...ROWS, NEW_TOOL], 7)
  const row = await findRow('WeatherTool')
  assert.deepEqual(
    [row.name, row.enabled, row.chat_selectable, row.default_enabled, row.is_public, row.time_created],
    ['weather', 1, 0, 1, 1, 7],
  )
  assert.ok((await listPersonaTools()).includes(row.id))
})

test('a changed definition updates the row and keeps its enabled state', async () => {
  const before = await findRow('WeatherTool')
  await db.updateTable('tool').set({ enabled: 0 }).where('id', '=', before.id).execute()
  await db.deleteFrom('persona_tool').where('tool_id', '=', before.id).execute()
  await syncBuiltInTools(db, [{ ...NEW_TOOL, description: 'Knows tomorrow’s weather.', chat_selectable: true }], 9)
  const row = await findRow('WeatherTool')
  assert.deepEqual(
    [row.id, row.description, row.chat_selectable, row.enabled, row.time_updated],
    [before.id, 'Knows tomorrow’s weather.', 1, 0, 9],
  )
  assert.ok(!(await listPersonaTools()).includes(row.id), 'it was taken from the persona')
})

test('a tool that is no default is in no persona', async () => {
  await syncBuiltInTools(db, [{ ...NEW_TOOL, in_code_tool_id: 'TideTool', default_enabled: false }], 11)
  assert.ok(!(await listPersonaTools()).includes((await findRow('TideTool')).id))
})
