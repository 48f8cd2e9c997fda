// Finds the vectors of texts: in the record if any document has the text, otherwise from the model.
import type { Logger } from '../../domain/logger.ts'
import { zip } from '../../domain/values/zip.ts'
import { type Embedder, EmbeddingError } from '../../inference/embedder.ts'
import type { UnembeddedChunk } from '../../search-index/search-index.ts'
import type { Queryable } from '../../store/database/database.ts'
import type { TextGroup } from './text-groups.ts'
import { type EmbeddedGroup, findGroupVectors } from './vector-cache.ts'

interface EmbedGroupsDeps {
  db: Queryable
  embedder: Embedder
  logger: Logger
}

interface EmbedGroupsCall {
  /** Called for each chunk that the model rejects. */
  skip: (chunk: UnembeddedChunk) => void
  signal: AbortSignal
}

/** `made` counts the texts that the model embedded; `seconds` is the time that it took. */
export async function embedGroups(
  deps: EmbedGroupsDeps,
  groups: readonly TextGroup[],
  call: EmbedGroupsCall,
): Promise<{ found: EmbeddedGroup[]; made: number; seconds: number }> {
  const { known, unknown } = await findGroupVectors(deps.db, deps.embedder.model, groups)
  const started = performance.now()
  const made = unknown.length === 0 ? [] : await askModel(deps, unknown, call)
  return { found: [...known, ...made], made: made.length, seconds: (performance.now() - started) / 1_000 }
}

/** If the model rejects the texts, embeds each one alone and skips those that it rejects again. */
async function askModel(
  deps: EmbedGroupsDeps,
  groups: readonly TextGroup[],
  call: EmbedGroupsCall,
): Promise<EmbeddedGroup[]> {
  const { embedder } = deps
  try {
    const vectors = await embedder.embedTexts(
      groups.map((it) => it.text),
      call.signal,
    )
    return zip(groups, vectors).map(([group, vector]) => ({ ...group, vector }))
  } catch (error) {
    if (!(error instanceof EmbeddingError) || !error.isInputRejected) throw error
    const [only, ...more] = groups
    if (only !== undefined && more.length === 0) {
      // A model that rejects everything is misconfigured, so the text is not to blame.
      await embedder.embedTexts(['text'], call.signal)
      skipGroup(deps, only, call, error.message)
      return []
    }
  }
  const made: EmbeddedGroup[] = []
  for (const it of groups) made.push(...(await askModel(deps, [it], call)))
  return made
}

function skipGroup({ logger }: EmbedGroupsDeps, { chunks }: TextGroup, { skip }: EmbedGroupsCall, reason: string) {
  for (const it of chunks) {
    skip(it)
    logger.warn({ reason, hash: it.hash }, 'chunk rejected by the embedding model')
  }
}
