// Servers of language models: their models, which of them serves what, and their keys, sealed.
import type { Selectable } from 'kysely'
import { AppError } from '../domain/errors.ts'
import {
  ENVIRONMENT_NAME,
  ENVIRONMENT_PROVIDER,
  type LlmSecrets,
  type ModelConfiguration,
  NO_SECRETS,
} from '../domain/llm-provider.ts'
import type { Database, Queries } from './database.ts'
import type { LlmModelRow, LlmProviderRow } from './model-tables.ts'
import type { SecretBox } from './secret-box.ts'

export const PURPOSES = ['text', 'vision', 'chat_naming'] as const
export type Purpose = (typeof PURPOSES)[number]

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
  /** Open: whoever shows them masks them. */
  secrets: LlmSecrets
  models: LlmModel[]
}

export type LlmProviderFields = Omit<LlmProvider, 'id' | 'models' | 'time_created' | 'time_updated'> & {
  /** Null leaves them as they are. */
  models: readonly ModelConfiguration[] | null
}

export interface ModelName {
  provider_id: number
  model_name: string
}

interface Store {
  db: Database
  secrets: SecretBox
}
type Reading = { db: Queries } & Pick<Store, 'secrets'>

/** What is put in the place of secrets that no key opens. */
export const LOST_SECRETS: Readonly<LlmSecrets> = { ...NO_SECRETS, is_lost: true }

export async function listLlmProviders({ db, secrets }: Reading): Promise<LlmProvider[]> {
  const rows = await db.selectFrom('llm_provider').selectAll().orderBy('id').execute()
  const models = Map.groupBy(
    await db.selectFrom('llm_model').selectAll().orderBy('id').execute(),
    (it) => it.provider_id,
  )
  return rows.map((row) => providerOf(row, models.get(row.id) ?? [], secrets))
}

/** One that is not there is NOT_FOUND. */
export async function getLlmProvider({ db, secrets }: Reading, id: number): Promise<LlmProvider> {
  const row = await db.selectFrom('llm_provider').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw missing(id)
  const models = await db.selectFrom('llm_model').selectAll().where('provider_id', '=', id).orderBy('id').execute()
  return providerOf(row, models, secrets)
}

export const findLlmProviderId = async (db: Queries, name: string): Promise<number | undefined> =>
  (await db.selectFrom('llm_provider').select('id').where('name', '=', name).executeTakeFirst())?.id

/** A name or an id that is taken is DUPLICATE_RESOURCE. */
export const insertLlmProvider = (
  { db, secrets }: Store,
  { id: wantedId, ...fields }: LlmProviderFields & { id: number | null },
  now: number,
): Promise<LlmProvider> =>
  db.transaction().execute(async (trx) => {
    await checkFree(trx, fields.name, wantedId)
    const { id } = await trx
      .insertInto('llm_provider')
      .values({ ...columnsOf(fields), secrets: '', time_created: now, time_updated: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    await writeRest({ db: trx, secrets }, id, fields)
    return getLlmProvider({ db: trx, secrets }, id)
  })

/** What `change` makes of the stored one takes its place; models that keep their names keep their ids. */
export const updateLlmProvider = (
  { db, secrets }: Store,
  id: number,
  change: (stored: LlmProvider) => LlmProviderFields,
  now: number,
): Promise<LlmProvider> =>
  db.transaction().execute(async (trx) => {
    const stored = await getLlmProvider({ db: trx, secrets }, id)
    const fields = change(stored)
    if (fields.name !== stored.name) await checkFree(trx, fields.name, null)
    await trx
      .updateTable('llm_provider')
      .set({ ...columnsOf(fields), time_updated: now })
      .where('id', '=', id)
      .execute()
    await writeRest({ db: trx, secrets }, id, fields)
    return getLlmProvider({ db: trx, secrets }, id)
  })

/** That of the default is VALIDATION_ERROR, unless it `isForced`. What it serves it serves no longer. */
export const deleteLlmProvider = (
  { db }: Pick<Store, 'db'>,
  id: number,
  { isForced }: { isForced: boolean },
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const row = await trx.selectFrom('llm_provider').select('id').where('id', '=', id).executeTakeFirst()
    if (row === undefined) throw missing(id)
    const { text } = await listDefaults(trx)
    if (text?.provider_id === id && !isForced) {
      throw new AppError('VALIDATION_ERROR', {
        reason: 'Cannot delete the default LLM provider. Make another one the default first, or send force=true.',
      })
    }
    await trx.deleteFrom('llm_default').where('provider_id', '=', id).execute()
    await trx.deleteFrom('llm_model').where('provider_id', '=', id).execute()
    await trx.deleteFrom('llm_provider').where('id', '=', id).execute()
  })

/** Also one of a model that is gone: whoever asks for it looks whether it is there. */
export async function listDefaults(db: Queries): Promise<Record<Purpose, ModelName | null>> {
  const rows = await db.selectFrom('llm_default').selectAll().execute()
  const of = (purpose: Purpose): ModelName | null => {
    const row = rows.find((it) => it.purpose === purpose)
    return row === undefined ? null : { provider_id: row.provider_id, model_name: row.model_name }
  }
  return { text: of('text'), vision: of('vision'), chat_naming: of('chat_naming') }
}

export async function setDefault(db: Database, purpose: Purpose, model: ModelName): Promise<void> {
  await db
    .insertInto('llm_default')
    .values({ purpose, ...model })
    .onConflict((it) => it.column('purpose').doUpdateSet({ ...model }))
    .execute()
}

export const missing = (id: number | string): AppError =>
  new AppError('NOT_FOUND', { what: `: LLM provider ${typeof id === 'number' ? id : `"${id}"`} does not exist.` })

async function checkFree(db: Queries, name: string, id: number | null): Promise<void> {
  if (name === ENVIRONMENT_NAME || id === ENVIRONMENT_PROVIDER) {
    throw new AppError('DUPLICATE_RESOURCE', { kind: 'An LLM provider', name: ENVIRONMENT_NAME })
  }
  const holder = await db
    .selectFrom('llm_provider')
    .select(['id', 'name'])
    .where((it) => it.or([it('name', '=', name), ...(id === null ? [] : [it('id', '=', id)])]))
    .executeTakeFirst()
  if (holder !== undefined) throw new AppError('DUPLICATE_RESOURCE', { kind: 'An LLM provider', name: holder.name })
}

async function writeRest(
  { db, secrets }: Reading,
  id: number,
  { secrets: opened, models }: Pick<LlmProviderFields, 'secrets' | 'models'>,
): Promise<void> {
  await db
    .updateTable('llm_provider')
    .set({ secrets: secrets.seal(JSON.stringify(opened), placeOf(id)) })
    .where('id', '=', id)
    .execute()
  if (models !== null) await writeModels(db, id, models)
}

async function writeModels(db: Queries, provider_id: number, models: readonly ModelConfiguration[]): Promise<void> {
  const names = models.map((it) => it.name)
  await db
    .deleteFrom('llm_model')
    .where('provider_id', '=', provider_id)
    .$if(names.length > 0, (it) => it.where('name', 'not in', names))
    .execute()
  for (const { name, ...model } of models) {
    const columns = {
      display_name: model.display_name,
      is_visible: flag(model.is_visible ?? true),
      max_input_tokens: model.max_input_tokens,
      supports_image_input: flag(model.supports_image_input ?? false),
      supports_tools: flag(model.supports_tools ?? true),
    }
    await db
      .insertInto('llm_model')
      .values({ provider_id, name, ...columns })
      .onConflict((it) => it.columns(['provider_id', 'name']).doUpdateSet(columns))
      .execute()
  }
}

const placeOf = (id: number) => `llm_provider/${id}/secrets` as const

const flag = (value: boolean): 0 | 1 => (value ? 1 : 0)

const columnsOf = ({ models: _, secrets: __, ...fields }: LlmProviderFields) => ({
  ...fields,
  is_public: flag(fields.is_public),
  is_auto_mode: flag(fields.is_auto_mode),
  groups: JSON.stringify(fields.groups),
  personas: JSON.stringify(fields.personas),
})

const providerOf = (
  row: Selectable<LlmProviderRow>,
  models: readonly Selectable<LlmModelRow>[],
  secrets: SecretBox,
): LlmProvider => ({
  ...row,
  is_public: row.is_public === 1,
  is_auto_mode: row.is_auto_mode === 1,
  groups: JSON.parse(row.groups),
  personas: JSON.parse(row.personas),
  secrets: opened(row, secrets),
  models: models.map(({ provider_id: _, ...it }) => ({
    ...it,
    is_visible: it.is_visible === 1,
    supports_image_input: it.supports_image_input === 1,
    supports_tools: it.supports_tools === 1,
  })),
})

/** One that cannot be opened must not take the others along. */
function opened({ id, secrets: sealed }: Selectable<LlmProviderRow>, secrets: SecretBox): LlmSecrets {
  try {
    return JSON.parse(secrets.open(sealed, placeOf(id)))
  } catch {
    return LOST_SECRETS
  }
}
