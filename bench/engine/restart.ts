// Measures the time until a killed program finds its last document again, with the record and the follower, and with as
// many passages in memory as an index ever has.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { DocumentContent } from '../../src/domain/document.ts'
import type { IndexDocument } from '../../src/search-index/search-index.ts'
import { acceptDocuments } from '../../src/store/documents/accept-documents.ts'
import { openSqlite } from '../../src/store/sqlite/open-sqlite.ts'
import type { Corpus } from './corpus.ts'
import type { Row } from './timing.ts'

const FOLLOW = join(import.meta.dirname, 'follow-record.ts')
/** A flush starts at this number of passages in memory. */
const MEMORY_CHUNKS = 8_192
const BATCH = 500

export async function measureRestart(corpus: Corpus, chunks: number): Promise<Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'pharos-bench-killed-'))
  try {
    const word = await fillRecord(dir, corpus, Math.max(0, chunks - MEMORY_CHUNKS), 0)
    follow(dir, 'fill', word)
    const clean = follow(dir, 'find', word)
    const last = await fillRecord(dir, corpus, Math.min(chunks, MEMORY_CHUNKS), 1)
    await holdAndKill(dir, last)
    const killed = follow(dir, 'find', last)
    if (killed.total !== 1) throw new Error('the last document is not found')
    return [
      ['program start until a search answers, after a clean stop', msOf(clean)],
      [`program start until the last document is found, after a kill that lost ${killed.lost} documents`, msOf(killed)],
    ]
  } finally {
    rmSync(dir, { recursive: true })
  }
}

const msOf = ({ foundMs, openMs, cpuMs }: Told): string =>
  `${Math.round(foundMs)} ms (open ${Math.round(openMs)} ms), processor time ${Math.round(cpuMs)} ms`

interface Told {
  total: number
  openMs: number
  foundMs: number
  cpuMs: number
  lost: number
}

const follow = (dir: string, mode: 'fill' | 'find', word: string): Told =>
  JSON.parse(execFileSync(process.execPath, [FOLLOW, dir, mode, word], { encoding: 'utf8' }))

async function holdAndKill(dir: string, word: string): Promise<void> {
  const child = spawn(process.execPath, [FOLLOW, dir, 'hold', word], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  await once(createInterface(child.stdout), 'line')
  child.kill('SIGKILL')
  await exited
}

/** Returns a word that only the last document contains. */
async function fillRecord(dir: string, corpus: Corpus, chunks: number, part: number): Promise<string> {
  const fail = (error: Error) => {
    throw error
  }
  const word = `lastword${part}`
  const db = await openSqlite({ path: join(dir, 'pharos.db'), failpoint: null, onFatal: fail })
  const accept = async (documents: DocumentContent[]) => {
    const items = documents.map((content) => ({ content, ccPairId: 1, requestId: null }))
    for (const it of await acceptDocuments(db, 'all', items, Date.now())) if (it instanceof Error) throw it
  }
  let batch: DocumentContent[] = []
  for (const document of corpus.documents(chunks)) {
    if (batch.push(contentOf(document, part)) < BATCH) continue
    await accept(batch)
    batch = []
  }
  const only = { ...contentOf({ ...NOTHING, document_id: word, title: word }, part) }
  await accept([...batch, only])
  await db.close()
  return word
}

const NOTHING: IndexDocument = {
  document_id: '',
  title: '',
  source_type: 'web',
  updated_at: null,
  tags: [],
  cc_pair_ids: [],
  authors: [],
  access: [],
  chunks: [],
}

/** A separate link keeps each section in a chunk of its own. */
const contentOf = (document: IndexDocument, part: number): DocumentContent => ({
  id: `${document.document_id}/${part}`,
  semantic_identifier: document.title,
  title: document.title,
  source: document.source_type,
  link: null,
  doc_updated_at: document.updated_at,
  metadata: Object.fromEntries(document.tags.map((it) => [it.tag_key, it.tag_value])),
  primary_owners: [],
  secondary_owners: [],
  external_access: null,
  hidden_characters: 0,
  sections: document.chunks.map(({ chunk_ind, content }) => ({
    text: content,
    link: `#${chunk_ind}`,
    heading: null,
    image_file_id: null,
  })),
})
