// The server that makes transcripts, with its sealed key.
import type { Queryable } from '../database/database.ts'
import type { DatabaseWithSecrets, QueryableWithSecrets, SecretBox } from '../secrets/secret-box.ts'

export interface TranscriptionModel {
  url: string
  model: string
  /** An ISO 639 code; null lets the model tell the language. */
  language: string | null
  /** The most minutes of recordings that are sent in a day (UTC). */
  minutes_per_day: number
  /** Unsealed. Mask it before you show it. */
  api_key: string | null
  /** No key of the service opens the stored API key. */
  isKeyLost: boolean
}

const ID = 1

/** Null without a server. */
export async function findTranscriptionModel({
  db,
  secrets,
}: QueryableWithSecrets): Promise<TranscriptionModel | null> {
  const row = await db.selectFrom('transcription_model').selectAll().where('id', '=', ID).executeTakeFirst()
  if (row === undefined) return null
  const { url, model, language, minutes_per_day, api_key } = row
  return { url, model, language, minutes_per_day, ...openKey(api_key, secrets) }
}

export async function isTranscriptionSetUp(db: Queryable): Promise<boolean> {
  const row = await db.selectFrom('transcription_model').select('id').where('id', '=', ID).executeTakeFirst()
  return row !== undefined
}

/** Replaces the server. */
export const writeTranscriptionModel = (
  { db, secrets }: DatabaseWithSecrets,
  { api_key, ...fields }: Omit<TranscriptionModel, 'isKeyLost'>,
  now: number,
): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const sealed = api_key === null ? null : secrets.seal(api_key, LOCATION)
    await trx.deleteFrom('transcription_model').where('id', '=', ID).execute()
    await trx
      .insertInto('transcription_model')
      .values({ id: ID, ...fields, api_key: sealed, time_updated: now })
      .execute()
  })

export async function deleteTranscriptionModel(db: Queryable): Promise<void> {
  await db.deleteFrom('transcription_model').where('id', '=', ID).execute()
}

const LOCATION = `transcription_model/${ID}/api_key` as const

function openKey(sealed: string | null, secrets: SecretBox): Pick<TranscriptionModel, 'api_key' | 'isKeyLost'> {
  if (sealed === null) return { api_key: null, isKeyLost: false }
  try {
    return { api_key: secrets.open(sealed, LOCATION), isKeyLost: false }
  } catch {
    return { api_key: null, isKeyLost: true }
  }
}
