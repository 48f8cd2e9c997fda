// Files of a GitHub repository: lists the tree and reads the changed blobs.
import { z } from 'zod'
import type { ExternalAccess } from '../../domain/access.ts'
import { type ConnectorContext, type ConnectorItem, SourceError } from '../connector.ts'
import { MAX_FILE_BYTES, toRepositoryFileItem } from '../files/repository-file.ts'
import { validateAnswer } from '../rest/json-response.ts'
import { nullIfStatus, type RestClient } from '../rest/rest-client.ts'
import type { GitHubRepository } from './access.ts'

export interface GitHubFile {
  id: string
  path: string
  sha: string
  size: number
}

/** https://docs.github.com/en/rest/git/trees#get-a-tree */
const GitTree = z.object({
  tree: z.array(z.object({ path: z.string(), type: z.string(), sha: z.string(), size: z.number().optional() })),
  truncated: z.boolean().default(false),
})
/** https://docs.github.com/en/rest/git/blobs#get-a-blob */
const GitBlob = z.object({ content: z.string(), encoding: z.string() })
/** https://docs.github.com/en/rest/repos/contents#get-repository-content */
const FileContents = z.object({ sha: z.string(), size: z.number() })

interface GitHubFileContext {
  repository: GitHubRepository
  access: ExternalAccess
}

export async function* listGitHubFiles(
  rest: RestClient,
  repository: GitHubRepository,
  branch: string | null,
): AsyncGenerator<GitHubFile, void> {
  const ref = branch ?? repository.default_branch
  if (!ref) return
  const root = `${repository.html_url}/blob/${encodeURIComponent(ref)}/`
  for await (const { path, sha, size } of walkGitTree(rest, {
    full_name: repository.full_name,
    tree: ref,
    branch,
    prefix: '',
  })) {
    yield { id: `${root}${encodePath(path)}`, path, sha, size }
  }
}

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/')

interface TreeLocation {
  full_name: string
  tree: string
  branch: string | null
  prefix: string
}

/** Walks a tree folder by folder if it is too large for one response. */
async function* walkGitTree(rest: RestClient, location: TreeLocation): AsyncGenerator<Omit<GitHubFile, 'id'>, void> {
  const { full_name, tree, branch, prefix } = location
  const path = `/repos/${full_name}/git/trees/${encodeURIComponent(tree)}`
  const recursive = await fetchGitTree(rest, `${path}?recursive=1`, location)
  if (recursive === null) return
  const isComplete = !recursive.truncated
  const entries = isComplete ? recursive.tree : ((await fetchGitTree(rest, path, location))?.tree ?? [])
  for (const it of entries) {
    if (it.type === 'blob') yield { path: `${prefix}${it.path}`, sha: it.sha, size: it.size ?? 0 }
    if (it.type === 'tree' && !isComplete)
      yield* walkGitTree(rest, { full_name, tree: it.sha, branch, prefix: `${prefix}${it.path}/` })
  }
}

/** Null if the repository has no commit. */
async function fetchGitTree(rest: RestClient, path: string, { full_name, branch, prefix }: TreeLocation) {
  const emptyStatuses = branch === null ? [409] : [404, 409]
  const answer = await nullIfStatus(rest.fetchJson(path), prefix === '' ? emptyStatuses : [])
  if (answer !== null) return validateAnswer(GitTree, answer.value)
  if (branch === null) return null
  const message = `${full_name} has no branch ${branch}.`
  throw new SourceError('config', message, { field: 'connector_specific_config.branch', status: 404 })
}

export async function readGitHubFile(
  context: Pick<ConnectorContext, 'recall' | 'extract'>,
  rest: RestClient,
  { repository, access }: GitHubFileContext,
  { id, path, sha, size }: GitHubFile,
): Promise<ConnectorItem> {
  if ((await context.recall(id)) === sha) return { type: 'unchanged', id }
  if (size > MAX_FILE_BYTES) {
    return { type: 'skipped', id, link: id, reason: `The file has ${size} bytes. The limit is ${MAX_FILE_BYTES}.` }
  }
  try {
    const { value } = await rest.fetchJson(`/repos/${repository.full_name}/git/blobs/${sha}`)
    const { content, encoding } = validateAnswer(GitBlob, value)
    const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8')
    const metadata = { object_type: 'File', repo: repository.full_name, path }
    return await toRepositoryFileItem({ id, path, sha, bytes }, { metadata, external_access: access }, context)
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'unexpected') throw error
    return { type: 'failure', document_id: id, link: id, stage: 'fetch', message: error.message }
  }
}

const BLOB_PATH = '/blob/'

export async function readGitHubFileById(
  context: Pick<ConnectorContext, 'recall' | 'extract' | 'config'>,
  rest: RestClient,
  scope: GitHubFileContext,
  id: string,
): Promise<ConnectorItem | null> {
  const blobAt = id.indexOf(BLOB_PATH)
  const slash = id.indexOf('/', blobAt + BLOB_PATH.length)
  if (blobAt < 0 || slash < 0) return null
  const [ref, path] = [id.slice(blobAt + BLOB_PATH.length, slash), id.slice(slash + 1)]
  if (ref === '' || path === '') return null
  const { full_name } = scope.repository
  const answer = await nullIfStatus(rest.fetchJson(`/repos/${full_name}/contents/${path}?ref=${ref}`), [404])
  if (answer === null) return null
  const { sha, size } = validateAnswer(FileContents, answer.value)
  return readGitHubFile(context, rest, scope, {
    id,
    path: path.split('/').map(decodeURIComponent).join('/'),
    sha,
    size,
  })
}
