// A retrieval test collection in the layout of BEIR: corpus.jsonl.gz, queries.jsonl, qrels.tsv.
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { RelevanceJudgements } from '../src/domain/search/ranking-metrics.ts'

export interface Collection {
  name: string
  documents: { id: string; title: string; text: string }[]
  queries: { id: string; text: string; judgements: RelevanceJudgements }[]
}

export async function readCollection(folder: string): Promise<Collection> {
  const corpus = lines(gunzipSync(await readFile(join(folder, 'corpus.jsonl.gz'))))
  const queries = lines(await readFile(join(folder, 'queries.jsonl')))
  const judgements = await readJudgements(join(folder, 'qrels.tsv'))
  return {
    name: basename(folder),
    documents: corpus.map((line) => {
      const { _id, title = '', text } = JSON.parse(line) as { _id: string; title?: string; text: string }
      return { id: _id, title, text }
    }),
    queries: queries.map((line) => {
      const { _id, text } = JSON.parse(line) as { _id: string; text: string }
      return { id: _id, text, judgements: judgements.get(_id) ?? new Map() }
    }),
  }
}

async function readJudgements(path: string): Promise<Map<string, Map<string, number>>> {
  const judgements = new Map<string, Map<string, number>>()
  for (const line of lines(await readFile(path)).slice(1)) {
    const [query = '', document = '', grade] = line.split('\t')
    judgements.set(query, (judgements.get(query) ?? new Map<string, number>()).set(document, Number(grade)))
  }
  return judgements
}

const lines = (bytes: Buffer) => bytes.toString().split('\n').filter(Boolean)
