// The state file that names the generations of an index. It is replaced atomically.
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCode } from '../../domain/values/node-error.ts'
import { readVectorHeader } from '../../engine/vectors/vector-files.ts'
import { REBUILD_REASONS, type RebuildReason } from '../generations.ts'
import type { VectorOptions } from '../search-index.ts'

/** Absent in files of older versions, where the vector files provide it. */
const StoredVectors = z.object({ model: z.string(), dimension: z.int().positive() }).nullable().optional()

/** The key of `GenerationState.rebuild` in the file. */
const REBUILD_KEY = 'refill'

/** Absent in files of the first version. */
const StoredAnalysis = z.int().positive().default(1)

const StoredState = z.object({
  format: z.literal(1),
  serving: z.int().positive(),
  vectors: StoredVectors,
  analysis: StoredAnalysis,
  [REBUILD_KEY]: z.object({ reason: z.enum(REBUILD_REASONS), until: z.int() }).nullable(),
  building: z
    .object({ generation: z.int().positive(), since: z.int(), vectors: StoredVectors, analysis: StoredAnalysis })
    .nullable(),
  declined: z.string().nullable().default(null),
  declinedAnalysis: z.int().nullable().default(null),
})

export interface GenerationState {
  format: 1
  serving: number
  /** The model of the vectors in the serving generation. */
  vectors: VectorOptions | null
  /** The version of the analysis that made the terms in the serving generation. */
  analysis: number
  rebuild: { reason: RebuildReason; until: number } | null
  building: { generation: number; since: number; vectors: VectorOptions | null; analysis: number } | null
  /** The model whose generation was dropped, so that no restart builds it again. */
  declined: string | null
  /** The analysis whose generation was dropped. */
  declinedAnalysis: number | null
}

const STATE_FILE = 'generations.json'

export const generationFolder = (dir: string, generation: number): string => join(dir, String(generation))

/** Returns the state, or the reason why nothing in the folder can be used. */
export function readGenerationState(dir: string): GenerationState | RebuildReason {
  let text: string
  try {
    text = readFileSync(join(dir, STATE_FILE), 'utf8')
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    // Before there were generations, the folder was the index itself.
    return readdirSync(dir).includes('manifest') ? 'other_version' : 'missing'
  }
  const stored = parseState(text)
  return stored === undefined ? 'damaged' : withKnownVectors(dir, stored)
}

function parseState(text: string): z.infer<typeof StoredState> | undefined {
  try {
    return StoredState.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

function withKnownVectors(
  dir: string,
  { vectors, [REBUILD_KEY]: rebuild, building, ...rest }: z.infer<typeof StoredState>,
): GenerationState {
  const known = (generation: number, stored: VectorOptions | null | undefined) =>
    stored === undefined ? readVectorOptions(generationFolder(dir, generation)) : stored
  return {
    ...rest,
    vectors: known(rest.serving, vectors),
    rebuild,
    building: building && { ...building, vectors: known(building.generation, building.vectors) },
  }
}

function readVectorOptions(folder: string): VectorOptions | null {
  const kind = readVectorHeader(folder)
  return kind === undefined ? null : { model: kind.model, dimension: kind.dimension }
}

/** Each step is synced before the next one. */
export function writeGenerationState(dir: string, { rebuild, ...rest }: GenerationState): void {
  const path = join(dir, STATE_FILE)
  writeFileSync(`${path}.new`, JSON.stringify({ ...rest, [REBUILD_KEY]: rebuild }), { flush: true })
  // The directory is opened before the rename, because after it there may be no file descriptor left to sync with.
  // Windows cannot sync a directory, and its file system orders the rename itself.
  const folder = process.platform === 'win32' ? null : openSync(dir, 'r')
  try {
    renameSync(`${path}.new`, path)
    if (folder !== null) fsyncSync(folder)
  } finally {
    if (folder !== null) closeSync(folder)
  }
}

/** Removes what a crash or an older version left behind. */
export function removeUnlistedGenerations(dir: string, { serving, building }: GenerationState): void {
  const named = [STATE_FILE, ...[serving, building?.generation].map(String)]
  for (const name of readdirSync(dir)) if (!named.includes(name)) rmSync(join(dir, name), { recursive: true })
}

/** Returns a number that no folder has yet. */
export const unusedGeneration = (dir: string): number =>
  1 + Math.max(0, ...readdirSync(dir).map(Number).filter(Number.isSafeInteger))
