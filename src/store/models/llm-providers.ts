// Providers of language models with their models, default models and sealed keys.
import type { Selectable } from 'kysely'
import { AppError } from '../../domain/errors.ts'
import {
  ENVIRONMENT_PROVIDER_ID,
  ENVIRONMENT_PROVIDER_NAME,
  type LlmSecrets,
  type ModelConfiguration,
  NO_LLM_SECRETS,
} from '../../domain/models/llm-provider.ts'
import { toSqlFlag } from '../database/column-types.ts'
import type { Database, Queryable } from '../database/database.ts'
import type { LlmModelRow, LlmProviderRow } from '../database/model-tables.ts'
import type { DatabaseWithSecrets, QueryableWithSecrets, SecretBox } from '../secrets/secret-box.ts'

export const MODEL_PURPOSES = ['text', 'vision', 'chat_naming'] as const
export type ModelPurpose = (typeof MODEL_PURPOSES)[number]

export interface LlmModel {
  id: number
  name: string
  display_name: string | null
  is_visible: boolean
  max_input_tokens: number | null
  supports_image_input: boolean
  supports_tools: boolean
}

export interface LlmProvider
  extends Omit<Selectable<LlmProviderRow>, 'secrets' | 'is_public' | 'is_auto_mode' | 'groups' | 'personas'> {
  is_public: boolean
  is_auto_mode: boolean
  groups: string[]
  personas: number[]
  /** Unsealed. Mask them before you show them. */
  secrets: LlmSecrets
  models: LlmModel[]
}

export type LlmProviderFields = Omit<LlmProvider, 'id' | 'models' | 'time_created' | 'time_updated'> & {
  /** Null leaves them unchanged. */
  models: readonly ModelConfiguration[] | null
}

export interface ModelReference {
  provider_id: number
  model_name: string
}

/** Replaces secrets that no key opens. */
export const LOST_SECRETS: Readonly<LlmSecrets> = { ...NO_LLM_SECRETS, is_lost: true }

export async function listLlmProviders({ db, secrets }: QueryableWithSecrets): Promise<LlmProvider[]> {
  const rows = await db.selectFrom('llm_provider').selectAll().orderBy('id').execute()
  const models = Map.groupBy(
    await db.selectFrom('llm_model').selectAll().orderBy('id').execute(),
    (it) => it.provider_id,
  )
  return rows.map((row) => toLlmProvider(row, models.get(row.id) ?? [], secrets))
}

/** NOT_FOUND: there is no such provider. */
export async function getLlmProvider({ db, secrets }: QueryableWithSecrets, id: number): Promise<LlmProvider> {
  const row = await db.selectFrom('llm_provider').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw llmProviderNotFound(id)
  const models = await db.selectFrom('llm_model').selectAll().where('provider_id', '=', id).orderBy('id').execute()
  return toLlmProvider(row, models, secrets)
}

/** Returns the only provider with this name. VALIDATION_ERROR: there are several. */
export async function findLlmProviderId(db: Queryable, name: string): Promise<number | undefined> {
  const rows = await db.selectFrom('llm_provider').select('id').where('name', '=', name).orderBy('id').execute()
  if (rows.length < 2) return rows[0]?.id
  const reason = `Several LLM providers are named "${name}". Send the \`id\` of one of them (${rows.map((it) => it.id).join(', ')}).`
  throw new AppError('VALIDATION_ERROR', { reason })
}

/**
 * DUPLICATE_RESOURCE: the id is taken, or the name is the one of the provider from the environment. Other names may
 * repeat.
 */
export const insertLlmProvider = (
  { db, secrets }: DatabaseWithSecrets,
  { id: wantedId, ...fields }: LlmProviderFields & { id: number | null },
  now: number,
): Promise<LlmProvider> =>
  db.transaction().execute(async (trx) => {
    await checkIdAvailable(trx, fields.name, wantedId)
    const { id } = await trx
      .insertInto('llm_provider')
      .values({ ...llmProviderColumns(fields), secrets: '', time_created: now, time_updated: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    await writeSecretsAndModels({ db: trx, secrets }, id, fields)
    return getLlmProvider({ db: trx, secrets }, id)
  })

/**
 * Replaces the stored provider by the result of `change`. Models that keep their names keep their ids. No two updates have
 * the same `time_updated`.
 */
export const updateLlmProvider = (
  { db, secrets }: DatabaseWithSecrets,
  id: number,
  change: (stored: LlmProvider) => LlmProviderFields,
  now: number,
): Promise<LlmProvider> =>
  db.transaction().execute(async (trx) => {
    const stored = await getLlmProvider({ db: trx, secrets }, id)
    const fields = change(stored)
    if (fields.name !== stored.name) checkProviderName(fields.name)
    await trx
      .updateTable('llm_provider')
      .set({ ...llmProviderColumns(fields), time_updated: Math.max(now, stored.time_updated + 1) })
      .where('id', '=', id)
      .execute()
    await writeSecretsAndModels({ db: trx, secrets }, id, fields)
    return getLlmProvider({ db: trx, secrets }, id)
  })

/** VALIDATION_ERROR: it is the default provider and `isForced` is not set. It loses its default roles. */
export const deleteLlmProvider = (
  { db }: Pick<DatabaseWithSecrets, 'db'>,
  id: number,
  { isForced }: { isForced: boolean },
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const row = await trx.selectFrom('llm_provider').select('id').where('id', '=', id).executeTakeFirst()
    if (row === undefined) throw llmProviderNotFound(id)
    const { text } = await getDefaultModels(trx)
    if (text?.provider_id === id && !isForced) {
      throw new AppError('VALIDATION_ERROR', {
        reason: 'Cannot delete the default LLM provider. Make another one the default first, or send force=true.',
      })
    }
    await trx.deleteFrom('llm_default').where('provider_id', '=', id).execute()
    await trx.deleteFrom('llm_model').where('provider_id', '=', id).execute()
    await trx.deleteFrom('llm_provider').where('id', '=', id).execute()
  })

/** The named model may no longer exist; callers must check. */
export async function getDefaultModels(db: Queryable): Promise<Record<ModelPurpose, ModelReference | null>> {
  const rows = await db.selectFrom('llm_default').selectAll().execute()
  const of = (purpose: ModelPurpose): ModelReference | null => {
    const row = rows.find((it) => it.purpose === purpose)
    return row === undefined ? null : { provider_id: row.provider_id, model_name: row.model_name }
  }
  return { text: of('text'), vision: of('vision'), chat_naming: of('chat_naming') }
}

export async function setDefaultModel(db: Database, purpose: ModelPurpose, model: ModelReference): Promise<void> {
  await db
    .insertInto('llm_default')
    .values({ purpose, ...model })
    .onConflict((it) => it.column('purpose').doUpdateSet({ ...model }))
    .execute()
}

export async function clearDefaultModel(db: Database, purpose: ModelPurpose): Promise<void> {
  await db.deleteFrom('llm_default').where('purpose', '=', purpose).execute()
}

export const llmProviderNotFound = (id: number | string): AppError =>
  new AppError('NOT_FOUND', { what: `: LLM provider ${typeof id === 'number' ? id : `"${id}"`} does not exist.` })

async function checkIdAvailable(db: Queryable, name: string, id: number | null): Promise<void> {
  checkProviderName(name)
  if (id === null) return
  if (id === ENVIRONMENT_PROVIDER_ID) throw duplicateProvider(ENVIRONMENT_PROVIDER_NAME)
  const holder = await db.selectFrom('llm_provider').select('name').where('id', '=', id).executeTakeFirst()
  if (holder !== undefined) throw duplicateProvider(holder.name)
}

/** A provider without a row would be indistinguishable from one with its name. */
function checkProviderName(name: string): void {
  if (name === ENVIRONMENT_PROVIDER_NAME) throw duplicateProvider(name)
}

const duplicateProvider = (name: string) => new AppError('DUPLICATE_RESOURCE', { kind: 'An LLM provider', name })

async function writeSecretsAndModels(
  { db, secrets }: QueryableWithSecrets,
  id: number,
  { secrets: opened, models }: Pick<LlmProviderFields, 'secrets' | 'models'>,
): Promise<void> {
  await db
    .updateTable('llm_provider')
    .set({ secrets: secrets.seal(JSON.stringify(opened), llmProviderLocation(id)) })
    .where('id', '=', id)
    .execute()
  if (models !== null) await writeModelRows(db, id, models)
}

async function writeModelRows(
  db: Queryable,
  provider_id: number,
  models: readonly ModelConfiguration[],
): Promise<void> {
  const names = models.map((it) => it.name)
  await db
    .deleteFrom('llm_model')
    .where('provider_id', '=', provider_id)
    .$if(names.length > 0, (it) => it.where('name', 'not in', names))
    .execute()
  for (const { name, ...model } of models) {
    const columns = {
      display_name: model.display_name,
      is_visible: toSqlFlag(model.is_visible ?? true),
      max_input_tokens: model.max_input_tokens,
      supports_image_input: toSqlFlag(model.supports_image_input ?? false),
      supports_tools: toSqlFlag(model.supports_tools ?? true),
    }
    await db
      .insertInto('llm_model')
      .values({ provider_id, name, ...columns })
      .onConflict((it) => it.columns(['provider_id', 'name']).doUpdateSet(columns))
      .execute()
  }
}

const llmProviderLocation = (id: number) => `llm_provider/${id}/secrets` as const

const llmProviderColumns = ({ models: _, secrets: __, ...fields }: LlmProviderFields) => ({
  ...fields,
  is_public: toSqlFlag(fields.is_public),
  is_auto_mode: toSqlFlag(fields.is_auto_mode),
  groups: JSON.stringify(fields.groups),
  personas: JSON.stringify(fields.personas),
})

const toLlmProvider = (
  row: Selectable<LlmProviderRow>,
  models: readonly Selectable<LlmModelRow>[],
  secrets: SecretBox,
): LlmProvider => ({
  ...row,
  is_public: row.is_public === 1,
  is_auto_mode: row.is_auto_mode === 1,
  groups: JSON.parse(row.groups),
  personas: JSON.parse(row.personas),
  secrets: decryptLlmSecrets(row, secrets),
  models: models.map(({ provider_id: _, ...it }) => ({
    ...it,
    is_visible: it.is_visible === 1,
    supports_image_input: it.supports_image_input === 1,
    supports_tools: it.supports_tools === 1,
  })),
})

/** One unreadable provider must not hide the others. */
function decryptLlmSecrets({ id, secrets: sealed }: Selectable<LlmProviderRow>, secrets: SecretBox): LlmSecrets {
  try {
    return JSON.parse(secrets.open(sealed, llmProviderLocation(id)))
  } catch {
    return LOST_SECRETS
  }
}
