// One schema in two dialects: what one folder of sql/ has, the other has too.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const filesOf = (dialect: string) => readdirSync(`sql/${dialect}`).filter((it) => it.endsWith('.sql'))

test('both dialects have the same migrations', () => {
  assert.deepEqual(filesOf('postgres'), filesOf('sqlite'))
})

/** Table, column, type and whether it may be null, in the words of SQLite. */
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

for (const file of filesOf('sqlite').filter((it) => filesOf('postgres').includes(it))) {
  const [sqlite, postgres] = ['sqlite', 'postgres'].map((it) => readFileSync(`sql/${it}/${file}`, 'utf8'))

  test(`${file} makes the same tables and columns in both`, () => {
    assert.deepEqual(columnsOf(postgres!), columnsOf(sqlite!))
  })

  test(`${file} changes the same tables in both`, () => {
    const changes = (text: string) => text.match(/^(?:alter|drop) table \w+ \w+ (?:column )?\w+/gm)
    assert.deepEqual(changes(postgres!), changes(sqlite!))
  })

  test(`${file} orders every text by its bytes in PostgreSQL`, () => {
    assert.deepEqual(postgres!.match(/^ {2}\w+ +text\b(?! collate "C").*/gm), null)
  })
}
