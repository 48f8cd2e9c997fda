// Files of a GitLab project's default branch. Only changed files are read.
import { z } from 'zod'
import { type ConnectorContext, type ConnectorItem, SourceError } from '../connector.ts'
import { MAX_FILE_BYTES, toRepositoryFileItem } from '../files/repository-file.ts'
import { listItems, type RestClient } from '../rest/rest-client.ts'
import type { GitLabAccess, GitLabProject } from './access.ts'

export interface GitLabFile {
  id: string
  path: string
  sha: string
}

/** https://docs.gitlab.com/api/repositories/#list-repository-tree */
const TreeEntry = z.object({ id: z.string(), path: z.string(), type: z.string() })

export async function* listGitLabFiles(
  rest: RestClient,
  { id: project, web_url, default_branch }: GitLabProject,
): AsyncGenerator<GitLabFile, void> {
  if (!default_branch) return
  const query = new URLSearchParams({
    ref: default_branch,
    recursive: 'true',
    pagination: 'keyset',
    per_page: '100',
  })
  for await (const { id, path, type } of listItems(rest, `/projects/${project}/repository/tree?${query}`, TreeEntry)) {
    if (type !== 'blob') continue
    const blobPath = [default_branch, ...path.split('/')].map(encodeURIComponent).join('/')
    yield { id: `${web_url}/-/blob/${blobPath}`, path, sha: id }
  }
}

/** https://docs.gitlab.com/api/repositories/#get-a-raw-blob-from-repository */
export async function readGitLabFile(
  context: Pick<ConnectorContext, 'recall' | 'extract'>,
  rest: RestClient,
  { project, access }: { project: GitLabProject; access: GitLabAccess },
  { id, path, sha }: GitLabFile,
): Promise<ConnectorItem> {
  if ((await context.recall(id)) === sha) return { type: 'unchanged', id }
  try {
    const bytes = await rest.fetchBytes(`/projects/${project.id}/repository/blobs/${sha}/raw`)
    if (bytes.length > MAX_FILE_BYTES) {
      const reason = `The file has ${bytes.length} bytes. The limit is ${MAX_FILE_BYTES}.`
      return { type: 'skipped', id, link: id, reason }
    }
    const metadata = { object_type: 'File', project: project.path_with_namespace, path }
    const external_access = await access('files')
    return await toRepositoryFileItem({ id, path, sha, bytes }, { metadata, external_access }, context)
  } catch (error) {
    if (!(error instanceof SourceError) || error.kind !== 'unexpected') throw error
    return { type: 'failure', document_id: id, link: id, stage: 'fetch', message: error.message }
  }
}
