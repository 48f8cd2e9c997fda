// Projects: chats, files and instructions of one person.
import { z } from 'zod'
import { updateChat } from '../../../store/chats/chats.ts'
import {
  addProjectFiles,
  deleteProject,
  getProject,
  insertProject,
  listProjectFiles,
  listProjects,
  MAX_PROJECT_FILES,
  removeProjectFile,
  type StoredProject,
  updateProject,
} from '../../../store/chats/projects.ts'
import { getUserFile } from '../../../store/files/user-files.ts'
import { nullish, optionalNullable, WITHOUT_NUL, wireName, wirePathInteger, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { UserFileSnapshot, userFileSnapshot } from '../../views/user-file.ts'
import { iso } from '../../wire/iso.ts'
import { ChatSessionId } from './sessions.ts'

const MAX_NAME = 200
const MAX_DESCRIPTION = 2_000
const MAX_INSTRUCTIONS = 10_000

const projectDefaults = { access: 'chat', tag: 'Projects' } as const
const projectReadDefaults = { access: ['chat', 'read:chat'], tag: 'Projects' } as const

const ProjectPath = z.object({ project_id: wirePathInteger() })
const ProjectFilePath = ProjectPath.extend({ file_id: wireString({ max: 100, pattern: WITHOUT_NUL }) })
const name = wireName(MAX_NAME)
const description = nullish(wireString({ max: MAX_DESCRIPTION, pattern: WITHOUT_NUL }))

const Project = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    instructions: z.string().describe('Given to the model in every chat of the project.'),
    created_at: z.iso.datetime(),
    user_id: z.string(),
  })
  .meta({ id: 'UserProject' })

const projectView = ({ owner, time_created, ...it }: StoredProject): z.infer<typeof Project> => ({
  ...it,
  user_id: owner,
  created_at: iso(time_created),
})

const ProjectInstructions = z.object({ instructions: z.string() }).meta({ id: 'ProjectInstructions' })

export const projectRoutes = [
  route({
    ...projectReadDefaults,
    name: 'listProjects',
    method: 'GET',
    path: '/user/projects',
    summary: 'List own projects',
    reply: z.array(Project),
    services: ['db'],
    handle: async ({ subject, services: { db } }) => (await listProjects(db, subject)).map(projectView),
  }),
  route({
    ...projectDefaults,
    name: 'createProject',
    method: 'POST',
    path: '/user/projects/create',
    summary: 'Create project',
    query: z.object({ name, description }),
    reply: Project,
    errors: ['INVALID_INPUT'],
    services: ['db', 'now'],
    handle: async ({ query, subject, services: { db, now } }) =>
      projectView(await insertProject(db, subject, query, now())),
  }),
  route({
    ...projectReadDefaults,
    name: 'getProject',
    method: 'GET',
    path: '/user/projects/{project_id}',
    summary: 'Get project',
    params: ProjectPath,
    reply: Project,
    errors: ['PROJECT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, subject, services: { db } }) =>
      projectView(await getProject(db, subject, params.project_id)),
  }),
  route({
    ...projectDefaults,
    name: 'updateProject',
    method: 'PATCH',
    path: '/user/projects/{project_id}',
    summary: 'Rename project',
    description: 'Absent fields are unchanged.',
    params: ProjectPath,
    body: z
      .object({
        name: name.optional(),
        description: optionalNullable(wireString({ max: MAX_DESCRIPTION, pattern: WITHOUT_NUL })),
      })
      .meta({ id: 'UpdateProjectRequest' }),
    reply: Project,
    errors: ['PROJECT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, body, subject, services: { db } }) => {
      const change = {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.description !== undefined && { description: body.description }),
      }
      return projectView(await updateProject(db, subject, params.project_id, change))
    },
  }),
  route({
    ...projectDefaults,
    name: 'deleteProject',
    method: 'DELETE',
    path: '/user/projects/{project_id}',
    summary: 'Delete project',
    description: 'Its chats and files stay, outside of any project.',
    params: ProjectPath,
    reply: z.null(),
    errors: ['PROJECT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, subject, services: { db } }) => {
      await deleteProject(db, subject, params.project_id)
      return null
    },
  }),
  route({
    ...projectReadDefaults,
    name: 'getProjectInstructions',
    method: 'GET',
    path: '/user/projects/{project_id}/instructions',
    summary: 'Get instructions of project',
    params: ProjectPath,
    reply: ProjectInstructions,
    errors: ['PROJECT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, subject, services: { db } }) => {
      const { instructions } = await getProject(db, subject, params.project_id)
      return { instructions }
    },
  }),
  route({
    ...projectDefaults,
    name: 'setProjectInstructions',
    method: 'POST',
    path: '/user/projects/{project_id}/instructions',
    summary: 'Set instructions of project',
    params: ProjectPath,
    body: z
      .object({ instructions: wireString({ max: MAX_INSTRUCTIONS, pattern: WITHOUT_NUL }) })
      .meta({ id: 'UpsertProjectInstructionsRequest' }),
    reply: ProjectInstructions,
    errors: ['PROJECT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, body, subject, services: { db } }) => {
      const { instructions } = await updateProject(db, subject, params.project_id, body)
      return { instructions }
    },
  }),
  route({
    ...projectReadDefaults,
    name: 'listProjectFiles',
    method: 'GET',
    path: '/user/projects/files/{project_id}',
    summary: 'List files of project',
    description: `At most ${MAX_PROJECT_FILES}. Every question in the project is answered with them.`,
    params: ProjectPath,
    reply: z.array(UserFileSnapshot),
    errors: ['PROJECT_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, subject, services: { db } }) =>
      (await listProjectFiles(db, subject, params.project_id)).map((it) => userFileSnapshot(it, params.project_id)),
  }),
  route({
    ...projectDefaults,
    name: 'linkProjectFile',
    method: 'POST',
    path: '/user/projects/{project_id}/files/{file_id}',
    summary: 'Add file to project',
    params: ProjectFilePath,
    reply: UserFileSnapshot,
    errors: ['PROJECT_NOT_FOUND', 'FILE_NOT_FOUND', 'INVALID_INPUT'],
    services: ['db'],
    handle: async ({ params: { project_id, file_id }, subject, services: { db } }) => {
      await addProjectFiles(db, subject, project_id, [file_id])
      return userFileSnapshot(await getUserFile(db, subject, file_id), project_id)
    },
  }),
  route({
    ...projectDefaults,
    name: 'unlinkProjectFile',
    method: 'DELETE',
    path: '/user/projects/{project_id}/files/{file_id}',
    summary: 'Remove file from project',
    description: 'The file itself stays.',
    params: ProjectFilePath,
    reply: z.null(),
    errors: ['PROJECT_NOT_FOUND', 'FILE_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params, subject, services: { db } }) => {
      await removeProjectFile(db, subject, params.project_id, params.file_id)
      return null
    },
  }),
  route({
    ...projectDefaults,
    name: 'moveChatToProject',
    method: 'POST',
    path: '/user/projects/{project_id}/move_chat_session',
    summary: 'Move session to project',
    params: ProjectPath,
    body: z.object({ chat_session_id: ChatSessionId }).meta({ id: 'ChatSessionRequest' }),
    reply: z.null(),
    errors: ['PROJECT_NOT_FOUND', 'SESSION_NOT_FOUND'],
    services: ['db'],
    handle: async ({ params: { project_id }, body, subject, services: { db } }) => {
      await updateChat(db, subject, body.chat_session_id, { project_id })
      return null
    },
  }),
  route({
    ...projectDefaults,
    name: 'removeChatFromProject',
    method: 'POST',
    path: '/user/projects/remove_chat_session',
    summary: 'Remove session from its project',
    body: z.object({ chat_session_id: ChatSessionId }).meta({ id: 'RemoveChatSessionRequest' }),
    reply: z.null(),
    errors: ['SESSION_NOT_FOUND'],
    services: ['db'],
    handle: async ({ body, subject, services: { db } }) => {
      await updateChat(db, subject, body.chat_session_id, { project_id: null })
      return null
    },
  }),
]
