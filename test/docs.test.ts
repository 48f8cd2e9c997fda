// Code and documents in step: what is generated is committed, and what can go wrong is written down.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { helpText, SETTINGS } from '../src/config.ts'
import { errorTable } from '../src/domain/errors.ts'

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((it) => it.endsWith('.ts') && !it.includes('.test.') && it !== 'domain/errors.ts')
  .map((it) => readFileSync(`src/${it}`, 'utf8'))
  .join('\n')

test('every error of the table is raised somewhere, and stands in docs/errors.md', () => {
  const page = readFileSync('docs/errors.md', 'utf8')
  for (const code of Object.keys(errorTable)) {
    assert.ok(sources.includes(`'${code}'`), `${code} is never raised`)
    assert.ok(page.includes(`| ${code} |`), `${code} is not in docs/errors.md: run npm run generate`)
  }
})

test('every setting stands in the README and in --help', () => {
  const readme = readFileSync('README.md', 'utf8')
  for (const { name } of SETTINGS) {
    assert.ok(readme.includes(`\`${name}\``), `${name} is not in README.md`)
    assert.ok(helpText().includes(name), `${name} is not in --help`)
  }
})

test('SECURITY.md names tests that are there', () => {
  const cells = [...readFileSync('SECURITY.md', 'utf8').matchAll(/\| `([\w/.-]+\.ts)`(?:: "([^"]+)")? \|$/gm)]
  assert.ok(cells.length > 15)
  for (const [, file = '', name = ''] of cells) {
    const isThere = existsSync(file) && readFileSync(file, 'utf8').includes(name)
    assert.ok(isThere, `SECURITY.md names ${file} "${name}", which is not there`)
  }
})

test('docs/people.md says of every table what there is of people', () => {
  const page = readFileSync('docs/people.md', 'utf8')
  const sql = readdirSync('sql/sqlite').map((it) => readFileSync(`sql/sqlite/${it}`, 'utf8'))
  const tables = [...sql.join('\n').matchAll(/^create table (\w+)/gm)].map((it) => it[1])
  assert.ok(tables.length > 10)
  for (const table of tables) assert.ok(page.includes(`\n| \`${table}\` |`), `${table} is not in docs/people.md`)
})

test('no source file is longer than 400 lines', () => {
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.includes('.test.')) continue
    const lines = readFileSync(`src/${file}`, 'utf8').split('\n').length
    assert.ok(lines <= 400, `src/${file} has ${lines} lines`)
  }
})
