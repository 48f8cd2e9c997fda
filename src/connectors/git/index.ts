// Git connector: the files of a branch at its latest commit.
import { z } from 'zod'
import { nullish, wireArray, wireString } from '../../wire/schemas.ts'
import { batchesOf } from '../batches.ts'
import {
  type ConnectorContext,
  type ConnectorItem,
  defineConnector,
  isSizeLimitError,
  SourceError,
} from '../connector.ts'
import { compilePattern } from '../crawl/url-rules.ts'
import { guessTextType, SKIPPED_EXTENSIONS, toSections } from '../files/file-sections.ts'
import { readFileText } from '../files/read-file-text.ts'
import { SECRET } from '../form-hints.ts'
import type { GitPack } from './pack.ts'
import { type GitCredential, type GitRemote, openGitRemote, parseRepositoryUrl } from './remote.ts'

const patterns = nullish(wireArray(wireString({ min: 1, max: 2_000 }), { max: 1_000 }))

const GitConfig = z.object({
  repository_url: wireString({ min: 1, max: 2_000 }).describe('The https URL that `git clone` accepts.'),
  branch: nullish(wireString({ min: 1, max: 500 })).describe(
    "A branch or tag. Default: the repository's default branch.",
  ),
  include_patterns: patterns.describe(
    'Read only files whose path matches one of these patterns: prefixes, or patterns in which * matches any text.',
  ),
  exclude_patterns: patterns.describe('Skip files whose path matches one of these patterns.'),
  link_template: nullish(wireString({ min: 1, max: 2_000 })).describe(
    'Link to a file in a browser, with the placeholders {branch}, {commit} and {path}. Not needed for well-known services.',
  ),
})
type GitConfig = z.infer<typeof GitConfig>

const GitCredentialSchema = z.object({
  git_username: nullish(wireString({ max: 500 })).describe(
    'Only if the service requires a user name in addition to the token.',
  ),
  git_access_token: wireString({ min: 1, max: 5_000 })
    .describe('A token or password with read access to the repository.')
    .meta(SECRET),
})

type GitContext = ConnectorContext<GitConfig, GitCredential>

export default defineConnector<GitConfig, GitCredential>({
  sources: ['git'],
  label: 'Git repository',
  description: 'Reads the files of a branch over https. Git need not be installed.',
  egress: 'admin-target',
  config: GitConfig,
  credential: GitCredentialSchema,
  origins: ({ repository_url }) => [new URL(parseRepositoryUrl(repository_url)).origin],
  isTestedWithRealSource: true,
  isCredentialOptional: true,
  hasAccess: false,
  check: async (context) => void (await resolveHead(context, await openGitRemote(context))),
  load,
  async *listIds(context) {
    const remote = await openGitRemote(context)
    const head = await resolveHead(context, remote)
    for (const { path } of await listTreeFiles(context, await remote.fetchTree(head.oid), head.oid))
      yield gitDocumentId(context, path)
  },
})

interface HeadCommit {
  /** The id of the commit. */
  oid: string
  branch: string
}

async function resolveHead({ config }: GitContext, remote: GitRemote): Promise<HeadCommit> {
  const found = await remote.resolve(config.branch ?? 'HEAD')
  if (found !== null) return { oid: found.oid, branch: found.name }
  const message =
    config.branch === null ? 'The repository is empty.' : `The repository has no branch or tag "${config.branch}".`
  throw new SourceError('config', message, { field: 'connector_specific_config.branch' })
}

/** The id contains the branch only if one is configured, so that documents survive a change of the default branch. */
const gitDocumentId = ({ config }: GitContext, path: string): string => {
  const branch = config.branch === null ? '' : `?ref=${encodeURIComponent(config.branch)}`
  return `${parseRepositoryUrl(config.repository_url)}${branch}#${path}`
}

interface GitFile {
  path: string
  oid: string
}

const GitCheckpoint = z.object({ after: z.string() })
const BATCH = 100

async function* load(context: GitContext): AsyncGenerator<ConnectorItem, void> {
  const remote = await openGitRemote(context)
  const head = await resolveHead(context, remote)
  const tree = await remote.fetchTree(head.oid)
  const resumed = context.checkpoint === null ? null : GitCheckpoint.parse(context.checkpoint)
  const files = (await listTreeFiles(context, tree, head.oid)).filter(
    ({ path }) =>
      (resumed === null || path > resumed.after) &&
      (context.only === null || context.only.includes(gitDocumentId(context, path))),
  )
  // The commit time is known to be the time of change only for files that changed since the last run.
  const changedAt = context.since === null ? null : commitTime(tree, head.oid)
  for (const { batch, last } of batchesOf(files, BATCH)) {
    yield* readFiles({ context, remote, tree, head, changedAt }, batch)
    yield { type: 'checkpoint', checkpoint: { after: last.path } satisfies z.infer<typeof GitCheckpoint> }
  }
}

interface GitRun {
  context: GitContext
  remote: GitRemote
  /** Also contains the blobs if the server does not support filters. */
  tree: GitPack
  head: HeadCommit
  changedAt: number | null
}

async function* readFiles(run: GitRun, files: readonly GitFile[]): AsyncGenerator<ConnectorItem> {
  const { context, remote, tree } = run
  const toRead: GitFile[] = []
  for (const file of files) {
    const id = gitDocumentId(context, file.path)
    if ((await context.recall(id)) === file.oid) yield { type: 'unchanged', id }
    else if (SKIPPED_EXTENSIONS.test(file.path)) yield skippedItem(context, file, 'This file type is not supported.')
    else toRead.push(file)
  }
  const missing = [...new Set(toRead.map((it) => it.oid))].filter((it) => tree(it) === undefined)
  const packs = [tree, ...(await fetchPacks(remote, missing))]
  for (const file of toRead) {
    context.signal.throwIfAborted()
    yield await toGitFileItem(
      run,
      file,
      packs.map((pack) => pack(file.oid)).find((it) => it !== undefined),
    )
  }
}

/** Splits the request when the response exceeds the size limit. */
async function fetchPacks(remote: GitRemote, oids: readonly string[]): Promise<GitPack[]> {
  if (oids.length === 0) return []
  try {
    return [await remote.fetchObjects(oids)]
  } catch (error) {
    if (!isSizeLimitError(error)) throw error
    if (oids.length === 1) return [(oid) => (oid === oids[0] ? null : undefined)]
    const half = Math.ceil(oids.length / 2)
    return [...(await fetchPacks(remote, oids.slice(0, half))), ...(await fetchPacks(remote, oids.slice(half)))]
  }
}

const LFS_POINTER_PREFIX = 'version https://git-lfs.github.com/spec/'

type FoundObject = ReturnType<GitPack>

async function toGitFileItem(run: GitRun, file: GitFile, object: FoundObject): Promise<ConnectorItem> {
  const { context, head, changedAt } = run
  const id = gitDocumentId(context, file.path)
  const link = fileLink(context, head, file.path)
  if (object === null) return skippedItem(context, file, 'The file exceeds the size limit.')
  if (object === undefined) {
    return {
      type: 'failure',
      document_id: id,
      link,
      stage: 'fetch',
      message: 'The server did not send the content of the file.',
    }
  }
  const { data } = object
  if (data.subarray(0, 100).toString('latin1').startsWith(LFS_POINTER_PREFIX)) {
    return skippedItem(context, file, 'The content is stored in Git LFS.')
  }
  const name = file.path.split('/').at(-1) ?? file.path
  const read = await readFileText(data, { name, mediaType: guessTextType(name, data) }, context)
  if (read.kind === 'unread') return skippedItem(context, file, read.reason)
  return {
    type: 'document',
    document: {
      id,
      semantic_identifier: file.path,
      title: read.title,
      sections: toSections(read, link),
      report: read.report,
      doc_updated_at: changedAt,
      metadata: { repository: parseRepositoryUrl(context.config.repository_url), branch: head.branch, path: file.path },
    },
    note: { key: id, value: file.oid },
  }
}

const skippedItem = (context: GitContext, { path }: GitFile, reason: string): ConnectorItem => ({
  type: 'skipped',
  id: gitDocumentId(context, path),
  link: null,
  reason: `${path}: ${reason}`,
})

/** File URLs of well-known services. */
const FILE_URL_FORMATS: readonly [host: RegExp, folder: string][] = [
  [/^github\./, '/blob/{branch}/{path}'],
  [/^gitlab\./, '/-/blob/{branch}/{path}'],
  [/^bitbucket\./, '/src/{branch}/{path}'],
  [/^(?:codeberg|gitea|forgejo|git\.disroot)\./, '/src/branch/{branch}/{path}'],
]

function fileLink({ config }: GitContext, { oid, branch }: HeadCommit, path: string): string | null {
  const base = parseRepositoryUrl(config.repository_url).replace(/\.git$/, '')
  const format = FILE_URL_FORMATS.find(([host]) => host.test(new URL(base).host))
  const template = config.link_template ?? (format === undefined ? null : `${base}${format[1]}`)
  const placeholders = { branch, commit: oid, path }
  return (
    template?.replace(/\{(branch|commit|path)\}/g, (_, name: keyof typeof placeholders) =>
      placeholders[name].split('/').map(encodeURIComponent).join('/'),
    ) ?? null
  )
}

/** The committer's time, which is the time of the last change. */
function commitTime(tree: GitPack, commit: string): number | null {
  const seconds = /^committer .* (\d+) [+-]\d{4}$/m.exec(tree(commit)?.data.toString('utf8') ?? '')?.[1]
  return seconds === undefined ? null : Number(seconds) * 1_000
}

const TREE_MODE = '40000'
const FILE_MODES = ['100644', '100755', '100664']
const MAX_DEPTH = 500
/** Trees can share subtrees, so a tiny repository may expand to an endless tree. */
const MAX_FILES = 1_000_000
const tooManyFilesError = new SourceError('config', `The repository has more than ${MAX_FILES} files or folders.`, {
  field: 'connector_specific_config.repository_url',
})

/** Lists the files of the commit, sorted by path. Throws if the listing is incomplete. */
async function listTreeFiles({ config, signal }: GitContext, pack: GitPack, commit: string): Promise<GitFile[]> {
  const include = (config.include_patterns ?? []).map(compilePattern)
  const exclude = (config.exclude_patterns ?? []).map(compilePattern)
  const isWanted = (path: string) =>
    (include.length === 0 || include.some((it) => it(path))) && !exclude.some((it) => it(path))
  const root = /^tree ([0-9a-f]{40})$/m.exec(readTreeObject(pack, commit).toString('latin1'))?.[1]
  if (root === undefined) throw missingObjectError(commit)
  const files: GitFile[] = []
  let folders = 0
  const pendingTrees = [{ folder: '', oid: root, depth: 0 }]
  for (let it = pendingTrees.pop(); it !== undefined; it = pendingTrees.pop()) {
    signal.throwIfAborted()
    if (it.depth > MAX_DEPTH || folders > MAX_FILES || files.length > MAX_FILES) throw tooManyFilesError
    folders += 1
    for (const { mode, name, oid } of parseTree(readTreeObject(pack, it.oid))) {
      const path = `${it.folder}${name}`
      if (mode === TREE_MODE) pendingTrees.push({ folder: `${path}/`, oid, depth: it.depth + 1 })
      // Symbolic links and submodules are skipped.
      else if (FILE_MODES.includes(mode) && isWanted(path)) files.push({ path, oid })
    }
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1))
}

function readTreeObject(pack: GitPack, oid: string): Buffer {
  const object = pack(oid)
  if (object === undefined || object === null) throw missingObjectError(oid)
  return object.data
}

const missingObjectError = (what: string) =>
  new SourceError('unexpected', `The server sent an incomplete tree: ${what} is missing.`)

function* parseTree(tree: Buffer): Generator<{ mode: string; name: string; oid: string }> {
  for (let at = 0; at < tree.length; ) {
    const end = tree.indexOf(0, at)
    if (end < 0 || end + 21 > tree.length) throw missingObjectError('the end of a tree object')
    const [mode = '', ...name] = tree.toString('utf8', at, end).split(' ')
    yield { mode, name: name.join(' '), oid: tree.toString('hex', end + 1, end + 21) }
    at = end + 21
  }
}
