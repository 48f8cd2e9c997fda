// The files of the default branch of a project on GitLab; only those are read that have changed.
import { z } from 'zod'
import { type Item, type Pull, SourceError } from './connector.ts'
import type { Project, ProjectAccess } from './gitlab-access.ts'
import { fileItem, MAX_FILE_BYTES } from './repository-file.ts'
import { askAll, type Rest } from './source-rest.ts'

export interface ListedFile {
  id: string
  path: string
  sha: string
}

/** https://docs.gitlab.com/api/repositories/#list-repository-tree */
const Entry = z.object({ id: z.string(), path: z.string(), type: z.string() })

export async function* listProjectFiles(
  rest: Rest,
  { id: project, web_url, default_branch }: Project,
): AsyncGenerator<ListedFile, void> {
  if (!default_branch) return
  const query = new URLSearchParams({
    ref: default_branch,
    recursive: 'true',
    pagination: 'keyset',
    per_page: '100',
  })
  for await (const { id, path, type } of askAll(rest, `/projects/${project}/repository/tree?${query}`, Entry)) {
    if (type !== 'blob') continue
    const place = [default_branch, ...path.split('/')].map(encodeURIComponent).join('/')
    yield { id: `${web_url}/-/blob/${place}`, path, sha: id }
  }
}

/** https://docs.gitlab.com/api/repositories/#get-a-raw-blob-from-repository */
export async function readProjectFile(
  pull: Pick<Pull, 'recall' | 'extract'>,
  rest: Rest,
  { project, access }: { project: Project; access: ProjectAccess },
  { id, path, sha }: ListedFile,
): Promise<Item> {
  if ((await pull.recall(id)) === sha) return { type: 'unchanged', id }
  try {
    const bytes = await rest.bytes(`/projects/${project.id}/repository/blobs/${sha}/raw`)
    if (bytes.length > MAX_FILE_BYTES) {
      const reason = `It has ${bytes.length} bytes, and ${MAX_FILE_BYTES} are the most.`
      return { type: 'skipped', id, link: id, reason }
    }
    const metadata = { object_type: 'File', project: project.path_with_namespace, path }
    const external_access = await access('files')
    return await fileItem({ id, path, sha, bytes }, { metadata, external_access }, pull)
  } catch (error) {
    if (!(error instanceof SourceError) || error.fault !== 'unexpected') throw error
    return { type: 'failure', document_id: id, link: id, stage: 'fetch', message: error.message }
  }
}
