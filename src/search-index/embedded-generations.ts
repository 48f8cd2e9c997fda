// Generations of the embedded index: each is a folder, and a file beside them says which one serves.
import { mkdirSync, rmSync } from 'node:fs'
import type { Logger } from '../domain/logger.ts'
import { DamageError } from '../engine/damage.ts'
import { readManifest } from '../engine/manifest.ts'
import { type EmbeddedIndex, type EmbeddedOptions, openEmbeddedIndex } from './embedded.ts'
import { folderOf, readState, removeOthers, type State, unusedGeneration, writeState } from './generation-state.ts'
import type { Building, Generations } from './generations.ts'
import type { SearchIndex } from './search-index.ts'

export interface GenerationsOptions extends Omit<EmbeddedOptions, 'record'> {
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
interface Generation {
  number: number
  index: EmbeddedIndex
  calls: number
  onIdle: () => void
}

/**
 * Opens what serves and what was being made. What is missing, damaged, of another version or of another record begins
 * anew, and `refill` says so if there is something to fill it with.
 */
export async function openEmbeddedGenerations(options: GenerationsOptions): Promise<Generations> {
  const { dir, logger, passing = () => {} } = options
  let { state, record } = await begun(options)
  const save = (change: Partial<State>) => {
    const changed = { ...state, ...change }
    writeState(dir, changed)
    state = changed
  }
  const open = (number: number): Promise<Generation> => openGeneration(options, record, number)

  let serving = await open(state.serving)
  const beginning = serving.index.beginning?.reason
  if (beginning !== undefined && state.refill === null) save({ refill: refillFor(beginning, options) })
  // An index that was begun is told from one that is missing.
  if (beginning !== undefined) await serving.index.flush()
  let building = state.building === null ? null : await open(state.building.generation)
  let retiring = Promise.resolve()

  const described = (): Building | null =>
    building === null || state.building === null ? null : { ...state.building, index: building.index }
  return {
    serving: alwaysOf(() => serving),
    current: () => state.serving,
    refill: () => state.refill,
    endRefill: async () => save({ refill: null }),
    building: described,
    async build(now) {
      save({ building: { generation: unusedGeneration(dir), since: now } })
      passing('generation-named')
      building = await open(state.building!.generation)
      passing('generation-made')
      return described()!
    },
    settle: async () => building?.index.flush(),
    async promote() {
      const old = serving
      const next = building!
      await next.index.flush()
      passing('switch-flushed')
      save({ serving: next.number, refill: null, building: null })
      passing('switch-written')
      serving = next
      building = null
      retiring = retire(old, dir, logger)
      passing('switch-done')
    },
    async drop() {
      const dropped = building!
      save({ building: null })
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
  const state: State =
    typeof found === 'object'
      ? found
      : { format: 1, serving: unusedGeneration(dir), refill: refillFor(found, options), building: null }
  const record = isAhead(state, options) ? await renewed(options) : options.record.id
  if (found !== state) writeState(dir, state)
  removeOthers(dir, state)
  return { state, record }
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

async function openGeneration(options: GenerationsOptions, record: string, number: number): Promise<Generation> {
  const index = await openEmbeddedIndex({ ...options, dir: folderOf(options.dir, number), record })
  return { number, index, calls: 0, onIdle() {} }
}

/** Every method of the port goes to the generation that serves at that moment. */
function alwaysOf(serving: () => Generation): SearchIndex {
  return new Proxy({} as SearchIndex, {
    get(_, name: keyof SearchIndex) {
      if (typeof serving().index[name] !== 'function') return undefined
      return async (...values: never[]) => {
        const generation = serving()
        generation.calls++
        try {
          // The parameters are those of the method that was asked for.
          return await (generation.index[name] as (...given: never[]) => Promise<unknown>)(...values)
        } finally {
          generation.calls--
          if (generation.calls === 0) generation.onIdle()
        }
      }
    },
  })
}

/** What cannot be removed now is removed by the next start. */
async function retire(old: Generation, dir: string, logger: Logger): Promise<void> {
  if (old.calls > 0) {
    await new Promise<void>((resolve) => {
      old.onIdle = resolve
    })
  }
  await old.index.discard()
  try {
    rmSync(folderOf(dir, old.number), { recursive: true })
  } catch (error) {
    logger.warn({ err: error, generation: old.number }, 'an old generation of the index could not be removed')
  }
}
