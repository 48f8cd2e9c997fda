// Counts documents by language, and recommends the multilingual model when the model in use cannot read many of them.
import type { Embedders } from '../../inference/embedders.ts'
import type { IndexStats, LanguageCount, SearchIndex } from '../../search-index/search-index.ts'
import { multilingualLanguages } from '../../text/language.ts'
import type { Embedding } from './embedding.ts'
import { configuredModel, embedderForVectors } from './next-model.ts'

interface CountedLanguages {
  /** Most documents first, at most ten. */
  languages: LanguageCount[]
  /** The documents in further languages. */
  other_documents: number
}

export interface DocumentLanguages extends CountedLanguages {
  documents: number
  /** Null unless the model in use reads English only, and enough documents are in others that the multilingual one reads. */
  recommendation: ModelRecommendation | null
}

/** To use the multilingual model. The languages are those that it reads, without English. */
export interface ModelRecommendation extends CountedLanguages {
  /** The share of the documents that are in these languages, from 0 to 1. */
  share: number
  /** The passages that the multilingual model would have to embed. */
  passages: number
  /**
   * How long that would take, in seconds: as long as the local model took for the latest passages, times the cost of
   * the multilingual one, or 14 passages a second before the local model has embedded any.
   */
  estimated_s: number
}

interface DocumentLanguagesDeps {
  searchIndex: Pick<SearchIndex, 'stats'>
  embedders: Pick<Embedders, 'configured' | 'forModel'>
  embedding: Pick<Embedding, 'models' | 'secondsFor'>
}

const MAX_LANGUAGES = 10
const MIN_DOCUMENTS = 50
const MIN_SHARE = 0.2
/** A text takes the multilingual model longer than the local one by this factor (docs/decisions/0170-weights-by-language.md). */
const COST = 2.2
/** The measured rate of the multilingual model. */
const PASSAGES_PER_SECOND = 14

export async function readDocumentLanguages(deps: DocumentLanguagesDeps): Promise<DocumentLanguages> {
  const stats = await deps.searchIndex.stats()
  const { documents, languages } = stats
  return { documents, ...largest(languages), recommendation: recommendModel(deps, stats) }
}

function recommendModel(
  deps: Pick<DocumentLanguagesDeps, 'embedders' | 'embedding'>,
  { documents, languages, vectors, vectors_missing }: IndexStats,
): ModelRecommendation | null {
  // `und` is neither English nor another language: nobody knows whether a model reads it.
  const others = languages.filter(({ language }) => language !== 'en' && multilingualLanguages.includes(language))
  const share = documents === 0 ? 0 : countDocuments(others) / documents
  if (documents < MIN_DOCUMENTS || share < MIN_SHARE || !isEnglishModelInUse(deps)) return null
  const passages = vectors + vectors_missing
  const localSeconds = deps.embedding.secondsFor(passages)
  const seconds = localSeconds === null ? passages / PASSAGES_PER_SECOND : localSeconds * COST
  return { share, ...largest(others), passages, estimated_s: Math.ceil(seconds) }
}

/** Not while another model is configured than the one that made the vectors: then a switch is on its way already. */
function isEnglishModelInUse({
  embedders,
  embedding,
}: Pick<DocumentLanguagesDeps, 'embedders' | 'embedding'>): boolean {
  const { serving } = embedding.models()
  if (serving === null || configuredModel(embedders.configured())?.model !== serving.model) return false
  return embedderForVectors(embedders, serving)?.reads === 'english'
}

const largest = (languages: readonly LanguageCount[]): CountedLanguages => ({
  languages: languages.slice(0, MAX_LANGUAGES),
  other_documents: countDocuments(languages.slice(MAX_LANGUAGES)),
})

const countDocuments = (languages: readonly LanguageCount[]): number =>
  languages.reduce((sum, it) => sum + it.documents, 0)
