// The files of a repository on GitHub: a tree of what there is, and only those read that have changed.
import { z } from 'zod'
import type { ExternalAccess } from '../domain/access.ts'
import { type Item, type Pull, SourceError } from './connector.ts'
import type { Repository } from './github-access.ts'
import { parsed } from './json-answer.ts'
import { fileItem, MAX_FILE_BYTES } from './repository-file.ts'
import { orNull, type Rest } from './source-rest.ts'

export interface ListedFile {
  id: string
  path: string
  sha: string
  size: number
}

/** https://docs.github.com/en/rest/git/trees#get-a-tree */
const Tree = z.object({
  tree: z.array(z.object({ path: z.string(), type: z.string(), sha: z.string(), size: z.number().optional() })),
  truncated: z.boolean().default(false),
})
/** https://docs.github.com/en/rest/git/blobs#get-a-blob */
const Blob = z.object({ content: z.string(), encoding: z.string() })
/** https://docs.github.com/en/rest/repos/contents#get-repository-content */
const Content = z.object({ sha: z.string(), size: z.number() })

interface Facts {
  repository: Repository
  access: ExternalAccess
}

export async function* listFiles(
  rest: Rest,
  repository: Repository,
  branch: string | null,
): AsyncGenerator<ListedFile, void> {
  const ref = branch ?? repository.default_branch
  if (!ref) return
  const root = `${repository.html_url}/blob/${encodeURIComponent(ref)}/`
  for await (const { path, sha, size } of filesBelow(rest, {
    full_name: repository.full_name,
    tree: ref,
    branch,
    prefix: '',
  })) {
    yield { id: `${root}${encodePath(path)}`, path, sha, size }
  }
}

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/')

interface Place {
  full_name: string
  tree: string
  branch: string | null
  prefix: string
}

/** A tree that is too large for one answer is walked folder by folder. */
async function* filesBelow(rest: Rest, place: Place): AsyncGenerator<Omit<ListedFile, 'id'>, void> {
  const { full_name, tree, branch, prefix } = place
  const path = `/repos/${full_name}/git/trees/${encodeURIComponent(tree)}`
  const whole = await treeAt(rest, `${path}?recursive=1`, place)
  if (whole === null) return
  const isWhole = !whole.truncated
  const entries = isWhole ? whole.tree : ((await treeAt(rest, path, place))?.tree ?? [])
  for (const it of entries) {
    if (it.type === 'blob') yield { path: `${prefix}${it.path}`, sha: it.sha, size: it.size ?? 0 }
    if (it.type === 'tree' && !isWhole)
      yield* filesBelow(rest, { full_name, tree: it.sha, branch, prefix: `${prefix}${it.path}/` })
  }
}

/** Null: nothing was committed yet. */
async function treeAt(rest: Rest, path: string, { full_name, branch, prefix }: Place) {
  const none = branch === null ? [409] : [404, 409]
  const answer = await orNull(rest.ask(path), prefix === '' ? none : [])
  if (answer !== null) return parsed(Tree, answer.value)
  if (branch === null) return null
  const message = `${full_name} has no branch ${branch}.`
  throw new SourceError('config', message, { field: 'connector_specific_config.branch', status: 404 })
}

export async function readFile(
  pull: Pick<Pull, 'recall' | 'extract'>,
  rest: Rest,
  { repository, access }: Facts,
  { id, path, sha, size }: ListedFile,
): Promise<Item> {
  if ((await pull.recall(id)) === sha) return { type: 'unchanged', id }
  if (size > MAX_FILE_BYTES) {
    return { type: 'skipped', id, link: id, reason: `It has ${size} bytes, and ${MAX_FILE_BYTES} are the most.` }
  }
  try {
    const { value } = await rest.ask(`/repos/${repository.full_name}/git/blobs/${sha}`)
    const { content, encoding } = parsed(Blob, value)
    const bytes = Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8')
    const metadata = { object_type: 'File', repo: repository.full_name, path }
    return await fileItem({ id, path, sha, bytes }, { metadata, external_access: access }, pull)
  } catch (error) {
    if (!(error instanceof SourceError) || error.fault !== 'unexpected') throw error
    return { type: 'failure', document_id: id, link: id, stage: 'fetch', message: error.message }
  }
}

export async function readNamedFile(
  pull: Pick<Pull, 'recall' | 'extract' | 'config'>,
  rest: Rest,
  facts: Facts,
  id: string,
): Promise<Item | null> {
  const [, ref, path] = /\/blob\/([^/]+)\/(.+)$/.exec(id) ?? []
  if (ref === undefined || path === undefined) return null
  const { full_name } = facts.repository
  const answer = await orNull(rest.ask(`/repos/${full_name}/contents/${path}?ref=${ref}`), [404])
  if (answer === null) return null
  const { sha, size } = parsed(Content, answer.value)
  return readFile(pull, rest, facts, { id, path: path.split('/').map(decodeURIComponent).join('/'), sha, size })
}
