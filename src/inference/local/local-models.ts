// The models that run in this process: the one that comes with the program, and the one that an operator adds.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Embedder } from '../embedder.ts'

export interface LocalModel extends Pick<Embedder, 'model' | 'dimension' | 'reads' | 'minSimilarity' | 'foreign'> {
  weightsPath: string
  vocabulary: { kind: 'word-pieces' | 'sentence-pieces'; path: string }
  /** The model expects these before a text. */
  prefixes: { query: string; text: string }
}

const DIMENSION = 384
const ENGLISH_FOLDER = modelFolder('all-MiniLM-L6-v2')

export const englishModel = {
  model: 'all-MiniLM-L6-v2-int8',
  dimension: DIMENSION,
  reads: 'english',
  // Documents below this similarity that contain no word of the query were never relevant (docs/ranking.md).
  minSimilarity: 0.3,
  foreign: null,
  weightsPath: join(ENGLISH_FOLDER, 'minilm-l6-v2.int8-fused.onnx'),
  vocabulary: { kind: 'word-pieces', path: join(ENGLISH_FOLDER, 'vocab.txt') },
  prefixes: { query: '', text: '' },
} as const satisfies LocalModel

export const MULTILINGUAL = 'multilingual-e5-small-int8'
export const MULTILINGUAL_FILES = { graph: 'graph.onnx', weights: 'weights.bin', pieces: 'pieces.bin' } as const
/** The graph without its weights, which are not in the repository. */
export const MULTILINGUAL_GRAPH = join(modelFolder('multilingual-e5-small'), MULTILINGUAL_FILES.graph)

/** The model whose files `pharos model add multilingual` has written to this folder. */
export const multilingualModel = (folder: string): LocalModel => ({
  model: MULTILINGUAL,
  dimension: DIMENSION,
  reads: 'multilingual',
  // Its similarities lie between .64 and .96, across languages .05 to .1 lower: measured on XQuAD (decision 175).
  minSimilarity: 0.8,
  foreign: { semanticWeight: 0.7, similarityOffset: 0.06 },
  weightsPath: join(folder, MULTILINGUAL_FILES.graph),
  vocabulary: { kind: 'sentence-pieces', path: join(folder, MULTILINGUAL_FILES.pieces) },
  prefixes: { query: 'query: ', text: 'passage: ' },
})

/** Why no local model can run here, as far as can be seen without loading one; null if one should. */
export function explainMissingRuntime({ platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>): string | null {
  let runtime: string
  try {
    runtime = fileURLToPath(import.meta.resolve('onnxruntime-node'))
  } catch {
    return 'the package onnxruntime-node is not installed'
  }
  const library = join(runtime, `../../bin/napi-v6/${platform}/${arch}/onnxruntime_binding.node`)
  return existsSync(library) ? null : `onnxruntime-node has no library for ${platform} on ${arch}`
}

/** Null if the files of the model are there. */
export function explainMissingFiles({ model, weightsPath }: LocalModel): string | null {
  if (existsSync(weightsPath)) return null
  return model === MULTILINGUAL
    ? 'the multilingual model is not in DATA_DIR: run "pharos model add multilingual" and restart the service'
    : `${weightsPath} is missing`
}

function modelFolder(name: string): string {
  return join(import.meta.dirname, '../../../models', name)
}
