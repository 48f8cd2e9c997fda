// Projects: chats, files and instructions of one person. A project of another person is treated as nonexistent.
import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import type { Subject } from '../../domain/subject.ts'
import type { ProjectRow } from '../database/chat-tables.ts'
import type { Database, Queryable } from '../database/database.ts'
import { getUserFile, listUserFiles, type StoredUserFile } from '../files/user-files.ts'

export type StoredProject = Selectable<ProjectRow>
type ProjectOwner = Pick<Subject, 'user_id'>

/** All of them are read for each question. */
export const MAX_PROJECT_FILES = 20
const MAX_PROJECTS = 1_000

export const listProjects = (db: Queryable, { user_id }: ProjectOwner): Promise<StoredProject[]> =>
  db
    .selectFrom('project')
    .selectAll()
    .where('owner', '=', user_id)
    .orderBy('name')
    .orderBy('id')
    .limit(MAX_PROJECTS)
    .execute()

/** PROJECT_NOT_FOUND: it does not exist or belongs to another user. */
export async function getProject(db: Queryable, { user_id }: ProjectOwner, id: number): Promise<StoredProject> {
  const project = await db
    .selectFrom('project')
    .selectAll()
    .where('id', '=', id)
    .where('owner', '=', user_id)
    .executeTakeFirst()
  if (project === undefined) throw new AppError('PROJECT_NOT_FOUND')
  return project
}

/** INVALID_INPUT: the owner has too many projects. */
export async function insertProject(
  db: Queryable,
  owner: ProjectOwner,
  project: Pick<StoredProject, 'name' | 'description'>,
  now: number,
): Promise<StoredProject> {
  if ((await listProjects(db, owner)).length >= MAX_PROJECTS)
    throw new AppError('INVALID_INPUT', { reason: `You have ${MAX_PROJECTS} projects. Delete one first.` })
  return db
    .insertInto('project')
    .values({ ...project, owner: owner.user_id, instructions: '', time_created: now })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function updateProject(
  db: Queryable,
  owner: ProjectOwner,
  id: number,
  change: Partial<Pick<StoredProject, 'name' | 'description' | 'instructions'>>,
): Promise<StoredProject> {
  const project = await getProject(db, owner, id)
  if (Object.keys(change).length === 0) return project
  return db.updateTable('project').set(change).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** The chats and files stay, outside of any project. */
export const deleteProject = (db: Database, owner: ProjectOwner, id: number): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await getProject(trx, owner, id)
    await deleteProjectRows(trx, [id])
  })

export async function deleteProjectsByOwner(trx: Queryable, owners: readonly string[]): Promise<void> {
  const projects = await trx.selectFrom('project').select('id').where('owner', 'in', owners).execute()
  await deleteProjectRows(
    trx,
    projects.map((it) => it.id),
  )
}

async function deleteProjectRows(trx: Queryable, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await trx.updateTable('chat_session').set({ project_id: null }).where('project_id', 'in', ids).execute()
  await trx.deleteFrom('project_file').where('project_id', 'in', ids).execute()
  await trx.deleteFrom('project').where('id', 'in', ids).execute()
}

/** The files of a project of the owner, by name. */
export async function listProjectFiles(db: Queryable, owner: ProjectOwner, id: number): Promise<StoredUserFile[]> {
  await getProject(db, owner, id)
  const links = await db.selectFrom('project_file').select('file_id').where('project_id', '=', id).execute()
  const files = await listUserFiles(
    db,
    owner,
    links.map((it) => it.file_id),
  )
  return files.toSorted((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1))
}

/** FILE_NOT_FOUND: it belongs to another user. INVALID_INPUT: the project is full. Linking a file again changes nothing. */
export async function addProjectFiles(
  db: Queryable,
  owner: ProjectOwner,
  id: number,
  fileIds: readonly string[],
): Promise<void> {
  const before = (await listProjectFiles(db, owner, id)).map((it) => it.id)
  for (const file of fileIds) await getUserFile(db, owner, file)
  const added = fileIds.filter((it) => !before.includes(it))
  if (before.length + added.length > MAX_PROJECT_FILES)
    throw new AppError('INVALID_INPUT', { reason: `A project holds at most ${MAX_PROJECT_FILES} files.` })
  for (const file_id of added) {
    await db
      .insertInto('project_file')
      .values({ project_id: id, file_id })
      .onConflict((it) => it.doNothing())
      .execute()
  }
}

/** Removing a file that is not in the project changes nothing. */
export async function removeProjectFile(db: Queryable, owner: ProjectOwner, id: number, fileId: string): Promise<void> {
  await getProject(db, owner, id)
  await getUserFile(db, owner, fileId)
  await db.deleteFrom('project_file').where('project_id', '=', id).where('file_id', '=', fileId).execute()
}

/** The names of the owner's projects that hold the file. */
export async function listProjectsWithFile(
  db: Queryable,
  { user_id }: ProjectOwner,
  fileId: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('project_file')
    .innerJoin('project', 'project.id', 'project_id')
    .select('name')
    .where('file_id', '=', fileId)
    .where('owner', '=', user_id)
    .orderBy('name')
    .execute()
  return rows.map((it) => it.name)
}
