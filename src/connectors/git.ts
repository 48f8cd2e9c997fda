// Files of a repository: the newest state of one branch.
import { z } from 'zod'
import { nullish, wireArray, wireString } from '../domain/wire.ts'
import { connector, type Item, type Pull, SourceError } from './connector.ts'
import { patternOf } from './crawl-rules.ts'
import { NEVER_READ, sectionsOf, textTypeOf } from './file-sections.ts'
import type { Pack } from './git-pack.ts'
import { type Account, addressOf, openRemote, type Remote } from './git-remote.ts'
import { readFileText } from './read-file.ts'

const patterns = nullish(wireArray(wireString({ min: 1, max: 2_000 }), { max: 1_000 }))

const Config = z.object({
  repository_url: wireString({ min: 1, max: 2_000 }).describe('What `git clone` takes: an https address.'),
  branch: nullish(wireString({ min: 1, max: 500 })).describe(
    'Or a tag; the branch that is shown first, if it is not said.',
  ),
  include_patterns: patterns.describe(
    'Only files whose path fits one of these: beginnings, or texts in which * stands for anything.',
  ),
  exclude_patterns: patterns.describe('No files whose path fits one of these.'),
  link_template: nullish(wireString({ min: 1, max: 2_000 })).describe(
    'Where people read a file; {branch}, {commit} and {path} are filled in. Known services need none.',
  ),
})
type Config = z.infer<typeof Config>

const Credential = z.object({
  git_username: nullish(wireString({ max: 500 })).describe('Only where the service asks for one beside the token.'),
  git_access_token: wireString({ min: 1, max: 5_000 }).describe('A token or a password that may read the repository.'),
})

type GitPull = Pull<Config, Account>

export default connector<Config, Account>({
  sources: ['git'],
  label: 'Git repository',
  description: 'Reads the files of a branch over https; no program has to be installed for it.',
  config: Config,
  credential: Credential,
  isCredentialOptional: true,
  hasAccess: false,
  check: async (pull) => void (await stateOf(pull, await openRemote(pull))),
  load,
  async *listIds(pull) {
    const remote = await openRemote(pull)
    const state = await stateOf(pull, remote)
    for (const { path } of await filesOf(pull, await remote.fetchTree(state.oid), state.oid)) yield idOf(pull, path)
  },
})

interface State {
  /** Of the commit. */
  oid: string
  branch: string
}

async function stateOf({ config }: GitPull, remote: Remote): Promise<State> {
  const found = await remote.resolve(config.branch ?? 'HEAD')
  if (found !== null) return { oid: found.oid, branch: found.name }
  const message =
    config.branch === null ? 'The repository is empty.' : `The repository has no branch or tag "${config.branch}".`
  throw new SourceError('config', message, { field: 'connector_specific_config.branch' })
}

/** The branch is part of it only where one was chosen, so that another main branch keeps the documents. */
const idOf = ({ config }: GitPull, path: string): string => {
  const branch = config.branch === null ? '' : `?ref=${encodeURIComponent(config.branch)}`
  return `${addressOf(config.repository_url)}${branch}#${path}`
}

interface GitFile {
  path: string
  oid: string
}

const Checkpoint = z.object({ after: z.string() })
const BATCH = 100

async function* load(pull: GitPull): AsyncGenerator<Item, void> {
  const remote = await openRemote(pull)
  const state = await stateOf(pull, remote)
  const tree = await remote.fetchTree(state.oid)
  const left = pull.checkpoint === null ? null : Checkpoint.parse(pull.checkpoint)
  const files = (await filesOf(pull, tree, state.oid)).filter(
    ({ path }) => (left === null || path > left.after) && (pull.only === null || pull.only.includes(idOf(pull, path))),
  )
  // Only of what has changed is it known that this was not earlier.
  const changedAt = pull.since === null ? null : timeOf(tree, state.oid)
  for (let at = 0; at < files.length; at += BATCH) {
    const batch = files.slice(at, at + BATCH)
    yield* readAll({ pull, remote, tree, state, changedAt }, batch)
    yield { type: 'checkpoint', checkpoint: { after: batch.at(-1)!.path } satisfies z.infer<typeof Checkpoint> }
  }
}

interface Reading {
  pull: GitPull
  remote: Remote
  /** It holds the files too where the server cannot leave them out. */
  tree: Pack
  state: State
  changedAt: number | null
}

async function* readAll(reading: Reading, files: readonly GitFile[]): AsyncGenerator<Item> {
  const { pull, remote, tree } = reading
  const wanted: GitFile[] = []
  for (const file of files) {
    const id = idOf(pull, file.path)
    if ((await pull.recall(id)) === file.oid) yield { type: 'unchanged', id }
    else if (NEVER_READ.test(file.path)) yield skipped(pull, file, 'Files of this kind are not read.')
    else wanted.push(file)
  }
  const missing = [...new Set(wanted.map((it) => it.oid))].filter((it) => tree(it) === undefined)
  const packs = [tree, ...(await fetchAll(remote, missing))]
  for (const file of wanted) {
    pull.signal.throwIfAborted()
    yield await itemOf(
      reading,
      file,
      packs.map((pack) => pack(file.oid)).find((it) => it !== undefined),
    )
  }
}

/** Less at once where it is too much. */
async function fetchAll(remote: Remote, oids: readonly string[]): Promise<Pack[]> {
  if (oids.length === 0) return []
  try {
    return [await remote.fetchObjects(oids)]
  } catch (error) {
    if (!isTooMuch(error)) throw error
    if (oids.length === 1) return [(oid) => (oid === oids[0] ? null : undefined)]
    const half = Math.ceil(oids.length / 2)
    return [...(await fetchAll(remote, oids.slice(0, half))), ...(await fetchAll(remote, oids.slice(half)))]
  }
}

/** The guard of the way out says so; its room is closed to this one. */
const isTooMuch = (error: unknown): boolean =>
  error instanceof SourceError && (error.cause as { reason?: unknown } | undefined)?.reason === 'size'

const LARGE_FILE_POINTER = 'version https://git-lfs.github.com/spec/'

type GitObjectRead = ReturnType<Pack>

async function itemOf(reading: Reading, file: GitFile, object: GitObjectRead): Promise<Item> {
  const { pull, state, changedAt } = reading
  const id = idOf(pull, file.path)
  const link = linkOf(pull, state, file.path)
  if (object === null) return skipped(pull, file, 'It is larger than the files that are read.')
  if (object === undefined) {
    return { type: 'failure', document_id: id, link, stage: 'fetch', message: 'The server did not send its content.' }
  }
  const { data } = object
  if (data.subarray(0, 100).toString('latin1').startsWith(LARGE_FILE_POINTER)) {
    return skipped(pull, file, 'Its content lies in a store for large files (Git LFS).')
  }
  const name = file.path.split('/').at(-1) ?? file.path
  const read = await readFileText(data, { name, mediaType: textTypeOf(name, data) }, pull)
  if (read.kind === 'unread') return skipped(pull, file, read.reason)
  return {
    type: 'document',
    document: {
      id,
      semantic_identifier: file.path,
      title: read.title,
      sections: sectionsOf(read, link),
      doc_updated_at: changedAt,
      metadata: { repository: addressOf(pull.config.repository_url), branch: state.branch, path: file.path },
    },
    note: { key: id, value: file.oid },
  }
}

const skipped = (pull: GitPull, { path }: GitFile, reason: string): Item => ({
  type: 'skipped',
  id: idOf(pull, path),
  link: null,
  reason: `${path}: ${reason}`,
})

/** How the services that people know show a file. */
const SHOWN: readonly [host: RegExp, folder: string][] = [
  [/^github\./, '/blob/{branch}/{path}'],
  [/^gitlab\./, '/-/blob/{branch}/{path}'],
  [/^bitbucket\./, '/src/{branch}/{path}'],
  [/^(?:codeberg|gitea|forgejo|git\.disroot)\./, '/src/branch/{branch}/{path}'],
]

function linkOf({ config }: GitPull, { oid, branch }: State, path: string): string | null {
  const base = addressOf(config.repository_url).replace(/\.git$/, '')
  const known = SHOWN.find(([host]) => host.test(new URL(base).host))
  const template = config.link_template ?? (known === undefined ? null : `${base}${known[1]}`)
  const filled: Record<string, string> = { branch, commit: oid, path }
  return (
    template?.replace(/\{(branch|commit|path)\}/g, (_, name: string) =>
      filled[name]!.split('/').map(encodeURIComponent).join('/'),
    ) ?? null
  )
}

/** Of the last change: in a commit the author comes before the committer. */
function timeOf(tree: Pack, commit: string): number | null {
  const seconds = /^committer .* (\d+) [+-]\d{4}$/m.exec(tree(commit)?.data.toString('utf8') ?? '')?.[1]
  return seconds === undefined ? null : Number(seconds) * 1_000
}

const FOLDER = '40000'
const FILES = ['100644', '100755', '100664']
const MAX_DEPTH = 500
/** One folder may lie in itself a thousand times over, and take no room. */
const MAX_FILES = 1_000_000
const endless = new SourceError('config', `The repository has more than ${MAX_FILES} files or folders.`, {
  field: 'connector_specific_config.repository_url',
})

/** All of them or none: in the order of their paths. */
async function filesOf({ config, signal }: GitPull, pack: Pack, commit: string): Promise<GitFile[]> {
  const [include, exclude] = [config.include_patterns, config.exclude_patterns].map((it) => (it ?? []).map(patternOf))
  const isWanted = (path: string) =>
    (include!.length === 0 || include!.some((it) => it(path))) && !exclude!.some((it) => it(path))
  const root = /^tree ([0-9a-f]{40})$/m.exec(objectIn(pack, commit).toString('latin1'))?.[1]
  if (root === undefined) throw incomplete(commit)
  const files: GitFile[] = []
  let folders = 0
  const open = [{ folder: '', oid: root, depth: 0 }]
  for (let it = open.pop(); it !== undefined; it = open.pop()) {
    signal.throwIfAborted()
    if (it.depth > MAX_DEPTH || folders > MAX_FILES || files.length > MAX_FILES) throw endless
    folders += 1
    for (const { mode, name, oid } of entriesOf(objectIn(pack, it.oid))) {
      const path = `${it.folder}${name}`
      if (mode === FOLDER) open.push({ folder: `${path}/`, oid, depth: it.depth + 1 })
      // Neither links nor other repositories are files of this one.
      else if (FILES.includes(mode) && isWanted(path)) files.push({ path, oid })
    }
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1))
}

function objectIn(pack: Pack, oid: string): Buffer {
  const object = pack(oid)
  if (object === undefined || object === null) throw incomplete(oid)
  return object.data
}

const incomplete = (what: string) =>
  new SourceError('unexpected', `The server did not send all folders: ${what} is missing.`)

function* entriesOf(tree: Buffer): Generator<{ mode: string; name: string; oid: string }> {
  for (let at = 0; at < tree.length; ) {
    const end = tree.indexOf(0, at)
    if (end < 0 || end + 21 > tree.length) throw incomplete('the end of a folder')
    const [mode = '', ...name] = tree.toString('utf8', at, end).split(' ')
    yield { mode, name: name.join(' '), oid: tree.toString('hex', end + 1, end + 21) }
    at = end + 21
  }
}
