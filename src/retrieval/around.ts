// What stands around a passage: a model that reads one chunk alone often misses to what it belongs.
import type { Chunk } from '../domain/chunk.ts'
import type { ChunkPlace, SearchIndex } from '../search-index/search-index.ts'
import { openTexts, type TextsOf } from './texts.ts'

/** Chunks of one document that follow each other. */
export interface Around {
  document_id: string
  chunks: readonly Chunk[]
  /** Of those places that lie in it, the first that was asked for. */
  place: ChunkPlace
}

interface AroundNeeds {
  searchIndex: Pick<SearchIndex, 'chunks'>
}

/**
 * The places with `reach` chunks on both sides, in one question to the index; places whose surroundings touch are one,
 * at the position of the first. A place that is not there any more is left out. Nobody's rights are asked: whoever shows
 * them has looked at the record.
 */
export async function readAround(
  { searchIndex }: AroundNeeds,
  places: readonly ChunkPlace[],
  reach: number,
): Promise<Around[]> {
  const texts = openTexts((all: readonly ChunkPlace[]) => searchIndex.chunks(all))
  await texts.read(places.flatMap((place) => neighbours(place, reach)))
  const found = places.filter((place) => texts.at(place) !== null)
  const wanted = Map.groupBy(found, (it) => it.document_id)
  const runs = new Map(
    [...wanted].map(([document_id, own]) => [
      document_id,
      runsOf(texts, document_id, new Set(own.flatMap((place) => neighbours(place, reach)).map((it) => it.chunk_ind))),
    ]),
  )
  const done = new Set<readonly Chunk[]>()
  return found.flatMap((place) => {
    const chunks = runs.get(place.document_id)!.find((it) => it.some((chunk) => chunk.chunk_ind === place.chunk_ind))!
    if (done.has(chunks)) return []
    done.add(chunks)
    return [{ document_id: place.document_id, chunks, place }]
  })
}

const neighbours = ({ document_id, chunk_ind }: ChunkPlace, reach: number): ChunkPlace[] =>
  Array.from({ length: 2 * reach + 1 }, (_, at) => ({ document_id, chunk_ind: chunk_ind - reach + at })).filter(
    (it) => it.chunk_ind >= 0,
  )

type Texts = TextsOf<ChunkPlace, Chunk>

function runsOf(texts: Texts, document_id: string, wanted: ReadonlySet<number>): Chunk[][] {
  const runs: Chunk[][] = []
  for (const chunk_ind of [...wanted].sort((a, b) => a - b)) {
    const chunk = texts.at({ document_id, chunk_ind })
    if (chunk === null) continue
    const run = runs.at(-1)
    if (run?.at(-1)?.chunk_ind === chunk_ind - 1) run.push(chunk)
    else runs.push([chunk])
  }
  return runs
}
