// The same documents and queries in SQLite FTS5, in the memory of this process.
import { DatabaseSync } from 'node:sqlite'
import { queryTerms } from '../../src/text/query-terms.ts'
import type { Corpus } from './corpus.ts'
import { percentiles, type Row, timedNow } from './timing.ts'

const QUERIES = 60

export function measureFts5(corpus: Corpus, chunks: number): Row[] {
  const db = new DatabaseSync(':memory:')
  db.exec(
    `create virtual table chunk using fts5(title, content, tokenize = 'porter', content = '', contentless_delete = 1)`,
  )
  const insert = db.prepare('insert into chunk (rowid, title, content) values (?, ?, ?)')
  let id = 0
  const indexingMs = timedNow(() => {
    db.exec('begin')
    for (const { title, chunks: own } of corpus.documents(chunks)) {
      for (const { content } of own) insert.run(++id, title, content)
    }
    db.exec('commit')
  })
  const search = db.prepare(
    'select rowid, bm25(chunk, 2, 1) as score from chunk where chunk match ? order by rank limit 20',
  )
  const times = corpus.queries(QUERIES, 'open').map(({ text }) => {
    const match = queryTerms(text)
      .map((it) => `"${it.word.replaceAll('"', '')}"`)
      .join(' OR ')
    return timedNow(() => search.all(match))
  })
  db.close()
  return [
    ['FTS5: indexing, in memory', `${Math.round((chunks / indexingMs) * 1000)} chunks/s`],
    ['FTS5: text, without stop words and filters', percentiles(times)],
  ]
}
