import { queryOptions } from '@tanstack/react-query'
import {
  getProject,
  getProjectInstructions,
  listChatSessions,
  listProjectFiles,
  listProjects,
  listRecentUserFiles,
} from '../../../../src/client/operations.ts'
import { api } from '../../api.ts'

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: ({ signal }) => listProjects(api, { signal }),
  staleTime: 30_000,
})

export const projectQuery = (project_id: number) =>
  queryOptions({
    queryKey: ['projects', project_id],
    queryFn: ({ signal }) => getProject(api, { project_id, signal }),
  })

export const instructionsQuery = (project_id: number) =>
  queryOptions({
    queryKey: ['projects', project_id, 'instructions'],
    queryFn: ({ signal }) => getProjectInstructions(api, { project_id, signal }),
  })

export const projectFilesQuery = (project_id: number) =>
  queryOptions({
    queryKey: ['projects', project_id, 'files'],
    queryFn: ({ signal }) => listProjectFiles(api, { project_id, signal }),
  })

/** The chats of the project, below the key of all lists of chats. */
export const projectChatsQuery = (project_id: number) =>
  queryOptions({
    queryKey: ['chats', 'project', project_id],
    queryFn: ({ signal }) => listChatSessions(api, { project_id, page_size: 200, include_failed_chats: true, signal }),
  })

export const recentFilesQuery = queryOptions({
  queryKey: ['files'],
  queryFn: ({ signal }) => listRecentUserFiles(api, { signal }),
})

/** A project, a question and a file have these lengths at most. */
export const MAX_NAME = 200
export const MAX_DESCRIPTION = 2_000
export const MAX_INSTRUCTIONS = 10_000
