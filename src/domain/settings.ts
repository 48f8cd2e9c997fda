// What an administrator can set while the program runs. Whatever is not set has its default.
import { z } from 'zod'
import { AppError } from './errors.ts'
import { optionalNullable, wireInteger } from './wire.ts'

export const MAX_UPLOAD_SIZE_MB = 250

export interface Settings {
  /** An uploaded file that is larger is rejected. */
  user_file_max_upload_size_mb: number
  /** How long a deleted document lies in the trash. */
  trash_retention_days: number
  /** How long an entry of the audit is kept; 0 is for ever. */
  audit_retention_days: number
  /** How long it is remembered what somebody looked for; with 0 not at all. */
  recent_query_retention_days: number
  /** How long queries and what they found are kept to try changes of the ranking on; with 0 not at all. */
  recorded_query_retention_days: number
  /** How long a chat is kept after its last question; 0 is for ever. */
  chat_retention_days: number
  /** What fewer people asked is not shown to administrators. */
  query_min_people: number
  /** What all keys together may have language models read and write in a day (UTC); null is no limit. */
  daily_token_limit: number | null
}

export const DEFAULT_SETTINGS: Readonly<Settings> = {
  user_file_max_upload_size_mb: MAX_UPLOAD_SIZE_MB,
  trash_retention_days: 30,
  audit_retention_days: 730,
  recent_query_retention_days: 30,
  recorded_query_retention_days: 90,
  chat_retention_days: 0,
  query_min_people: 3,
  daily_token_limit: null,
}

const days = (description: string) => optionalNullable(wireInteger({ min: 0, max: 36_500 })).describe(description)

/** Null means the default. */
export const SettingsUpdate = z
  .object({
    user_file_max_upload_size_mb: optionalNullable(wireInteger({ min: 1 })),
    trash_retention_days: days('How long a deleted document lies in the trash; with 0 it goes at once.'),
    audit_retention_days: days('How long an entry of the audit is kept; with 0 for ever.'),
    recent_query_retention_days: days(
      'How long it is remembered for somebody what they looked for; with 0 it is not written down at all.',
    ),
    recorded_query_retention_days: days(
      'How long queries and what they found are kept for the analytics and for trying changes of the ranking; with 0 they are not written down at all.',
    ),
    chat_retention_days: days('How long a chat is kept after its last question; with 0 for ever.'),
    query_min_people: optionalNullable(wireInteger({ min: 1, max: 1_000 })).describe(
      'The text of a query is shown to administrators when at least so many people asked it.',
    ),
    daily_token_limit: optionalNullable(wireInteger({ min: 0 })).describe(
      'How many tokens all keys together may have language models read and write in a day (UTC); beyond it chat answers by quoting.',
    ),
  })
  .meta({ id: 'SettingsUpdate' })
export type SettingsUpdate = z.infer<typeof SettingsUpdate>

export function checkSettings({ user_file_max_upload_size_mb }: SettingsUpdate): void {
  if ((user_file_max_upload_size_mb ?? 0) > MAX_UPLOAD_SIZE_MB) {
    throw new AppError('INVALID_INPUT', {
      reason: `The largest file this service takes has ${MAX_UPLOAD_SIZE_MB} MB: user_file_max_upload_size_mb cannot be more.`,
    })
  }
}
