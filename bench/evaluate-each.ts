import { type Client, connect } from '../test/http.ts'
import { launch } from '../test/server.ts'
import { type Collection, readCollection } from './collection.ts'
import { note } from './output.ts'

export interface EvaluationSettings {
  url?: string
  key?: string
  keep?: boolean
  json?: boolean
  assert?: boolean
}

/** A source separates the collection from other documents on the server. */
type Measure<Figures> = (api: Client, collection: Collection, source?: string) => Promise<Figures>

/** Uses the server at that address, or starts a program for each collection. */
export async function evaluateEach<Figures>(
  folders: readonly string[],
  settings: EvaluationSettings,
  measure: Measure<Figures>,
): Promise<Figures[]> {
  const figures: Figures[] = []
  for (const folder of folders) figures.push(await evaluateOne(await readCollection(folder), settings, measure))
  return figures
}

async function evaluateOne<Figures>(
  collection: Collection,
  { url, key, keep }: EvaluationSettings,
  measure: Measure<Figures>,
): Promise<Figures> {
  if (url !== undefined) return measure(connect(new URL(url).origin, key ?? ''), collection, `eval-${collection.name}`)
  const server = await launch({ keep: keep === true })
  try {
    return await measure(server.api, collection)
  } finally {
    await server.stop()
    if (keep) note(`${collection.name}: the data folder ${server.dataDir} is kept`)
  }
}
