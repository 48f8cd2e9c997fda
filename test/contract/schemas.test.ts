// The schema exists in two dialects: both folders of sql/ must define the same tables.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const filesOf = (dialect: string) => readdirSync(`sql/${dialect}`).filter((it) => it.endsWith('.sql'))

test('both dialects have the same migrations', () => {
  assert.deepEqual(filesOf('postgres'), filesOf('sqlite'))
})

/** Table, column, type and nullability, as SQLite reports them. */
function columnsOf(text: string): string[] {
  const tables = [...text.matchAll(/^create table (\w+) \(\n(.*?)\n\)/gms)]
  return tables.flatMap(([, table, body]) =>
    body!
      .split('\n')
      .map((line) => /^ {2}(\w+) +(integer|bigint|text)\b(.*)/.exec(line))
      .filter((it) => it !== null)
      .map(([, name, type, rest]) => {
        const isNullable = !/not null|primary key/.test(rest!)
        return `${table}.${name} ${type === 'bigint' ? 'integer' : type} ${isNullable ? 'null' : 'not null'}`
      }),
  )
}

/** SQLite cannot drop a constraint, so the migration named here rebuilds the table with its columns. */
const MADE_AGAIN: Readonly<Record<string, string>> = {
  '0028-llm-provider-names.sql': '0015-language-models.sql',
}

for (const [file, former] of Object.entries(MADE_AGAIN)) {
  test(`${file} rebuilds SQLite tables with the same columns`, () => {
    const before = columnsOf(readFileSync(`sql/sqlite/${former}`, 'utf8'))
    const again = columnsOf(readFileSync(`sql/sqlite/${file}`, 'utf8'))
    const tables = new Set(again.map((it) => it.split('.')[0]))
    assert.deepEqual(
      again,
      before.filter((it) => tables.has(it.split('.')[0])),
    )
  })
}

for (const file of filesOf('sqlite').filter((it) => filesOf('postgres').includes(it) && !(it in MADE_AGAIN))) {
  const [sqlite, postgres] = ['sqlite', 'postgres'].map((it) => readFileSync(`sql/${it}/${file}`, 'utf8'))

  test(`${file} creates the same tables and columns in both dialects`, () => {
    assert.deepEqual(columnsOf(postgres!), columnsOf(sqlite!))
  })

  test(`${file} changes the same tables in both dialects`, () => {
    const changes = (text: string) => text.match(/^(?:alter|drop) table \w+ \w+ (?:column )?\w+/gm)
    assert.deepEqual(changes(postgres!), changes(sqlite!))
  })

  test(`${file} sorts every text by its bytes in PostgreSQL`, () => {
    assert.deepEqual(postgres!.match(/^ {2}\w+ +text\b(?! collate "C").*/gm), null)
  })
}
