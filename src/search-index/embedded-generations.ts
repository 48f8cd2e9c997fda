// Generations of the embedded index: each is a folder, and a file beside them says which one serves.
import { mkdirSync, rmSync } from 'node:fs'
import { DamageError } from '../engine/damage.ts'
import { readManifest } from '../engine/manifest.ts'
import { type EmbeddedIndex, type EmbeddedOptions, openEmbeddedIndex } from './embedded.ts'
import { folderOf, readState, removeOthers, type State, unusedGeneration, writeState } from './generation-state.ts'
import { type BeginningReason, type Building, type Generations, isSameModel, type WantedModel } from './generations.ts'
import type { SearchIndex, VectorOptions } from './search-index.ts'

export interface GenerationsOptions extends Omit<EmbeddedOptions, 'record' | 'vectors'> {
  /**
   * Whose vectors a generation without any takes. One that is being made for another model is dropped; one that serves
   * keeps the vectors that it has. Null: the settings want none.
   */
  wanted: WantedModel | null
  /** Told when nothing needs the model any more whose vectors a generation held. */
  onRetired?: (vectors: VectorOptions) => void
  record: {
    id: string
    /** Its newest sequence number. */
    last: number
    /** Called when an index is ahead of the record, so that the record has gone back: gives it another identity. */
    renew(): Promise<string>
  }
  /** For tests: told each step that a crash may come before or after. */
  passing?: (name: string) => void
}

/** One generation and the calls to it that are under way. */
interface Opened {
  number: number
  index: EmbeddedIndex
  vectors: VectorOptions | null
  calls: number
  onIdle: () => void
}

/**
 * Opens what serves and what was being made. What is missing, damaged, of another version or of another record begins
 * anew, and `refill` says so if there is something to fill it with.
 */
export async function openEmbeddedGenerations(options: GenerationsOptions): Promise<Generations> {
  const { dir, passing = () => {} } = options
  let { state, record } = await begun(options)
  const save = (change: Partial<State>) => {
    const changed = { ...state, ...change }
    writeState(dir, changed)
    state = changed
  }
  const open = (number: number, vectors: VectorOptions | null): Promise<Opened> =>
    openGeneration({ ...options, vectors }, record, number)

  let serving = await open(state.serving, state.vectors)
  const beginning = serving.index.beginning?.reason
  if (beginning !== undefined && state.refill === null) save({ refill: refillFor(beginning, options) })
  // An index that was begun is told from one that is missing.
  if (beginning !== undefined) await serving.index.flush()
  let building = state.building === null ? null : await open(state.building.generation, state.building.vectors)
  let retiring = Promise.resolve()

  const described = (): Building | null =>
    building === null || state.building === null ? null : { ...state.building, index: building.index }
  return {
    serving: alwaysOf(() => serving),
    current: () => state.serving,
    vectors: () => state.vectors,
    lease: (work) => used(serving, ({ number: generation, index, vectors }) => work({ generation, index, vectors })),
    refill: () => state.refill,
    endRefill: async () => save({ refill: null }),
    building: described,
    declined: () => state.declined,
    async build(now, vectors) {
      save({ building: { generation: unusedGeneration(dir), since: now, vectors }, declined: null })
      passing('generation-named')
      building = await open(state.building!.generation, vectors)
      passing('generation-made')
      return described()!
    },
    settle: async () => building?.index.flush(),
    async promote() {
      const old = serving
      const next = building!
      await next.index.flush()
      passing('switch-flushed')
      save({ serving: next.number, vectors: next.vectors, refill: null, building: null })
      passing('switch-written')
      serving = next
      building = null
      retiring = retire(old, next, options)
      passing('switch-done')
    },
    async drop() {
      const dropped = building!
      const isOther = !isSameModel(dropped.vectors, serving.vectors)
      save({ building: null, declined: isOther ? (dropped.vectors?.model ?? null) : state.declined })
      passing('drop-written')
      building = null
      await dropped.index.discard()
      rmSync(folderOf(dir, dropped.number), { recursive: true })
    },
    async close() {
      await Promise.all([serving.index.close(), building?.index.close(), retiring])
    },
  }
}

/** What the folder holds, and nothing else in it; and the identity of the record now. */
async function begun(options: GenerationsOptions): Promise<{ state: State; record: string }> {
  const { dir } = options
  mkdirSync(dir, { recursive: true })
  const found = readState(dir)
  const state = forModel(typeof found === 'object' ? found : emptyState(options, found), options)
  const record = isAhead(state, options) ? await renewed(options) : options.record.id
  if (found !== state) writeState(dir, state)
  removeOthers(dir, state)
  return { state, record }
}

const emptyState = (options: GenerationsOptions, reason: BeginningReason): State => ({
  format: 1,
  serving: unusedGeneration(options.dir),
  vectors: null,
  refill: refillFor(reason, options),
  building: null,
  declined: null,
})

/** As it goes on with the model that the settings name now. */
function forModel(found: State, { wanted, logger }: GenerationsOptions): State {
  const vectors = found.vectors ?? vectorsOf(wanted)
  const building = found.building !== null && isWanted(found.building.vectors, vectors, wanted) ? found.building : null
  if (found.building !== null && building === null) {
    logger.warn(
      { generation: found.building.generation, model: found.building.vectors?.model ?? null },
      'the index that was being made is given up: the settings name another model',
    )
  }
  const declined = wanted !== null && wanted.model === vectors?.model ? null : found.declined
  const isSame = building === found.building && declined === found.declined && isSameModel(vectors, found.vectors)
  return isSame ? found : { ...found, vectors, building, declined }
}

const vectorsOf = (wanted: WantedModel | null): VectorOptions | null =>
  wanted === null || wanted.dimension === null ? null : { model: wanted.model, dimension: wanted.dimension }

/** While the model of the settings cannot be asked, an index is made anew with the vectors that there are. */
function isWanted(building: VectorOptions | null, serving: VectorOptions | null, wanted: WantedModel | null): boolean {
  if (wanted?.dimension === null) return building?.model === wanted.model || isSameModel(building, serving)
  return isSameModel(building, vectorsOf(wanted))
}

const refillFor = (reason: NonNullable<State['refill']>['reason'], { record }: GenerationsOptions): State['refill'] =>
  record.last === 0 ? null : { reason, until: record.last }

/** An index of this record that is further than the record itself: somebody has brought an older copy back. */
function isAhead({ serving, building }: State, { dir, record }: GenerationsOptions): boolean {
  const numbers = building === null ? [serving] : [serving, building.generation]
  return numbers.some((number) => {
    try {
      const manifest = readManifest(folderOf(dir, number))
      return manifest?.record === record.id && manifest.position > record.last
    } catch (error) {
      // One that cannot be read begins anew in any case.
      if (error instanceof DamageError) return false
      throw error
    }
  })
}

async function renewed({ record, logger }: GenerationsOptions): Promise<string> {
  logger.warn({ last_seq: record.last }, 'the record is older than the index, so it was restored from a copy')
  return record.renew()
}

async function openGeneration(
  { vectors, ...options }: GenerationsOptions & { vectors: VectorOptions | null },
  record: string,
  number: number,
): Promise<Opened> {
  const dir = folderOf(options.dir, number)
  const index = await openEmbeddedIndex({ ...options, dir, record, vectors: vectors ?? undefined })
  return { number, index, vectors, calls: 0, onIdle() {} }
}

/** Every method of the port goes to the generation that serves at that moment. */
function alwaysOf(serving: () => Opened): SearchIndex {
  return new Proxy({} as SearchIndex, {
    get(_, name: keyof SearchIndex) {
      if (typeof serving().index[name] !== 'function') return undefined
      return (...values: never[]) =>
        // The parameters are those of the method that was asked for.
        used(serving(), ({ index }) => (index[name] as (...given: never[]) => Promise<unknown>)(...values))
    },
  })
}

/** It is not taken away before the work has ended. */
async function used<T>(generation: Opened, work: (generation: Opened) => Promise<T>): Promise<T> {
  generation.calls++
  try {
    return await work(generation)
  } finally {
    generation.calls--
    if (generation.calls === 0) generation.onIdle()
  }
}

/** What cannot be removed now is removed by the next start. */
async function retire(
  old: Opened,
  next: Opened,
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
    rmSync(folderOf(dir, old.number), { recursive: true })
  } catch (error) {
    logger.warn({ err: error, generation: old.number }, 'an old generation of the index could not be removed')
  }
}
