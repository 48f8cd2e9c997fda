// Generations of the embedded index: each has its own folder, and a state file names the serving one.
import { mkdirSync, rmSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../domain/values/node-error.ts'
import { ANALYSIS_VERSION } from '../../text/analyze.ts'
import { type EmbeddedIndex, type EmbeddedOptions, openEmbeddedIndex } from '../embedded/embedded-index.ts'
import {
  type BuildingGeneration,
  type ConfiguredModel,
  type Generations,
  isSameModel,
  type RebuildReason,
} from '../generations.ts'
import type { SearchIndex, VectorOptions } from '../search-index.ts'
import {
  type GenerationState,
  generationFolder,
  readGenerationState,
  removeUnlistedGenerations,
  unusedGeneration,
  writeGenerationState,
} from './generation-state.ts'

export interface GenerationsOptions extends Omit<EmbeddedOptions, 'record' | 'vectors'> {
  /**
   * The model in the settings. A generation without vectors starts to use it. A generation that is being built for
   * another model is dropped; the serving generation keeps its vectors. Null if the settings name no model.
   */
  configuredModel: ConfiguredModel | null
  /** Called when no generation uses this model any more. */
  onRetired?: (vectors: VectorOptions) => void
  record: {
    id: string
    /** The newest sequence number of the record. */
    last: number
  }
  /** For tests: called at each step before or after which a crash may happen. */
  onStep?: (name: string) => void
}

/** A generation and its calls in progress. */
interface OpenGeneration {
  number: number
  index: EmbeddedIndex
  vectors: VectorOptions | null
  calls: number
  onIdle: () => void
}

/**
 * Opens the serving generation and the one that was being built. A generation that is missing, damaged, of another
 * version or of another record starts empty, and `pendingRebuild` says so if the record contains anything to index.
 */
export async function openEmbeddedGenerations(options: GenerationsOptions): Promise<Generations> {
  const { dir, onStep = () => {} } = options
  let state = loadGenerations(options)
  const saveState = (change: Partial<GenerationState>) => {
    const changed = { ...state, ...change }
    writeGenerationState(dir, changed)
    state = changed
  }
  const open = (number: number, vectors: VectorOptions | null): Promise<OpenGeneration> =>
    openGeneration({ ...options, vectors }, number)

  let servingGeneration = await open(state.serving, state.vectors)
  const reason = servingGeneration.index.emptyReason?.reason
  if (reason !== undefined) saveState(emptiedFor(state.rebuild ?? rebuildFor(reason, options)))
  // The flush makes a new index distinguishable from a missing one.
  if (reason !== undefined) await servingGeneration.index.flush()
  let building = state.building === null ? null : await open(state.building.generation, state.building.vectors)
  let retiring = Promise.resolve()

  const describeBuilding = (): BuildingGeneration | null =>
    building === null || state.building === null ? null : { ...state.building, index: building.index }
  return {
    serving: forwardToServing(() => servingGeneration),
    servingNumber: () => state.serving,
    vectors: () => state.vectors,
    lease: (work) =>
      withLease(servingGeneration, ({ number: generation, index, vectors }) => work({ generation, index, vectors })),
    pendingRebuild: () => state.rebuild,
    finishRebuild: async () => saveState({ rebuild: null }),
    building: describeBuilding,
    declinedModel: () => state.declined,
    isOutdated: () => state.analysis !== ANALYSIS_VERSION && state.declinedAnalysis !== ANALYSIS_VERSION,
    async startBuilding(now, vectors) {
      const started = { generation: unusedGeneration(dir), since: now, vectors, analysis: ANALYSIS_VERSION }
      saveState({ building: started, declined: null, declinedAnalysis: null })
      onStep('generation-named')
      building = await open(started.generation, vectors)
      onStep('generation-made')
      return { ...started, index: building.index }
    },
    flushBuilding: async () => building?.index.flush(),
    async promote() {
      const old = servingGeneration
      const next = checkBuilding(building)
      await next.index.flush()
      onStep('switch-flushed')
      const { number: serving, vectors } = next
      saveState({ serving, vectors, analysis: ANALYSIS_VERSION, rebuild: null, building: null })
      onStep('switch-written')
      servingGeneration = next
      building = null
      retiring = retire(old, next, options)
      onStep('switch-done')
    },
    async dropBuilding() {
      const dropped = checkBuilding(building)
      saveState({ building: null, ...declinedWith(dropped, state) })
      onStep('drop-written')
      building = null
      await dropped.index.discard()
      rmSync(generationFolder(dir, dropped.number), { recursive: true })
    },
    diskBytes: () => folderBytes(generationFolder(dir, state.serving)),
    async close() {
      await Promise.all([servingGeneration.index.close(), building?.index.close(), retiring])
    },
  }
}

/** An empty index gets the terms of this version. */
const emptiedFor = (rebuild: GenerationState['rebuild']) => ({ rebuild, analysis: ANALYSIS_VERSION })

/** The model and the analysis that no restart builds again once this generation is dropped. */
function declinedWith(
  { vectors }: Pick<OpenGeneration, 'vectors'>,
  { analysis, ...state }: GenerationState,
): Pick<GenerationState, 'declined' | 'declinedAnalysis'> {
  return {
    declined: isSameModel(vectors, state.vectors) ? state.declined : (vectors?.model ?? null),
    declinedAnalysis: analysis === ANALYSIS_VERSION ? null : ANALYSIS_VERSION,
  }
}

/** Files may vanish meanwhile, because segments are merged. */
async function folderBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true })
  const sizes = names.map((name) => stat(join(folder, name)).then((it) => (it.isFile() ? it.size : 0), orNothing))
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

function orNothing(error: unknown): number {
  if (errorCode(error) === 'ENOENT') return 0
  throw error
}

function checkBuilding(building: OpenGeneration | null): OpenGeneration {
  if (building === null) throw new Error('no index generation is being built')
  return building
}

/** Reads which generations the folder holds and removes everything else from it. */
function loadGenerations(options: GenerationsOptions): GenerationState {
  const { dir } = options
  mkdirSync(dir, { recursive: true })
  const found = readGenerationState(dir)
  const state = adaptToSettings(typeof found === 'object' ? found : createEmptyState(options, found), options)
  if (found !== state) writeGenerationState(dir, state)
  removeUnlistedGenerations(dir, state)
  return state
}

const createEmptyState = (options: GenerationsOptions, reason: RebuildReason): GenerationState => ({
  format: 1,
  serving: unusedGeneration(options.dir),
  vectors: null,
  analysis: ANALYSIS_VERSION,
  rebuild: rebuildFor(reason, options),
  building: null,
  declined: null,
  declinedAnalysis: null,
})

/** Adapts the state to this version of the program and to the model that the settings name now. */
function adaptToSettings(found: GenerationState, { configuredModel, logger }: GenerationsOptions): GenerationState {
  const vectors = found.vectors ?? configuredVectors(configuredModel)
  const isKept =
    found.building?.analysis === ANALYSIS_VERSION && isStillWanted(found.building.vectors, vectors, configuredModel)
  const building = isKept ? found.building : null
  if (found.building !== null && building === null) {
    const { generation, vectors: own, analysis } = found.building
    logger.warn(
      { generation, model: own?.model ?? null, analysis },
      'index generation dropped: the settings name another model, or this version analyses texts differently',
    )
  }
  const declined = configuredModel !== null && configuredModel.model === vectors?.model ? null : found.declined
  const isSame = building === found.building && declined === found.declined && isSameModel(vectors, found.vectors)
  return isSame ? found : { ...found, vectors, building, declined }
}

const configuredVectors = (configuredModel: ConfiguredModel | null): VectorOptions | null =>
  configuredModel === null || configuredModel.dimension === null
    ? null
    : { model: configuredModel.model, dimension: configuredModel.dimension }

/** While the configured model cannot be reached, an index is rebuilt with the existing vectors. */
function isStillWanted(
  building: VectorOptions | null,
  serving: VectorOptions | null,
  configuredModel: ConfiguredModel | null,
): boolean {
  if (configuredModel?.dimension === null)
    return building?.model === configuredModel.model || isSameModel(building, serving)
  return isSameModel(building, configuredVectors(configuredModel))
}

const rebuildFor = (
  reason: NonNullable<GenerationState['rebuild']>['reason'],
  { record }: GenerationsOptions,
): GenerationState['rebuild'] => (record.last === 0 ? null : { reason, until: record.last })

async function openGeneration(
  { vectors, record, ...options }: GenerationsOptions & { vectors: VectorOptions | null },
  number: number,
): Promise<OpenGeneration> {
  const dir = generationFolder(options.dir, number)
  const index = await openEmbeddedIndex({ ...options, dir, record: record.id, vectors: vectors ?? undefined })
  return { number, index, vectors, calls: 0, onIdle() {} }
}

/** Every method is forwarded to the generation that serves at that moment. */
function forwardToServing(serving: () => OpenGeneration): SearchIndex {
  const lease = <T>(work: (index: SearchIndex) => Promise<T>) => withLease(serving(), ({ index }) => work(index))
  return {
    apply: (batch) => lease((it) => it.apply(batch)),
    search: (query) => lease((it) => it.search(query)),
    chunks: (chunkIds) => lease((it) => it.chunks(chunkIds)),
    chunksWithMatches: (query, chunkIds) => lease((it) => it.chunksWithMatches(query, chunkIds)),
    terms: (query) => lease((it) => it.terms(query)),
    stats: () => lease((it) => it.stats()),
    chunksWithoutVector: (page) => lease((it) => it.chunksWithoutVector(page)),
    setVectors: (vectors) => lease((it) => it.setVectors(vectors)),
    nearest: (query) => lease((it) => it.nearest(query)),
    candidates: (query) => lease((it) => it.candidates(query)),
    close: () => lease((it) => it.close()),
  }
}

/** The generation is not removed before the work has ended. */
async function withLease<T>(generation: OpenGeneration, work: (generation: OpenGeneration) => Promise<T>): Promise<T> {
  generation.calls++
  try {
    return await work(generation)
  } finally {
    generation.calls--
    if (generation.calls === 0) generation.onIdle()
  }
}

/** Folders that cannot be removed now are removed at the next start. */
async function retire(
  old: OpenGeneration,
  next: OpenGeneration,
  { dir, logger, onRetired = () => {} }: GenerationsOptions,
): Promise<void> {
  if (old.calls > 0) {
    await new Promise<void>((resolve) => {
      old.onIdle = resolve
    })
  }
  await old.index.discard()
  if (old.vectors !== null && !isSameModel(old.vectors, next.vectors)) onRetired(old.vectors)
  try {
    rmSync(generationFolder(dir, old.number), { recursive: true })
  } catch (error) {
    logger.warn({ err: error, generation: old.number }, 'old index generation not removed; the next start removes it')
  }
}
