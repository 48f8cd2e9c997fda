// Settings that an administrator can change at run time; unset ones have defaults.
import { z } from 'zod'
import { optionalNullable, wireBoolean, wireEnum, wireInteger, wireNumber } from '../wire/schemas.ts'
import { type ClientSettings, clientSettingFields, DEFAULT_CLIENT_SETTINGS } from './client-settings.ts'
import { AppError } from './errors.ts'

export const MAX_UPLOAD_SIZE_MB = 250

/** `off`: nothing is looked for. `quarantine`: nobody finds documents with secrets. */
export const SENSITIVE_CONTENT_MODES = ['off', 'report', 'quarantine'] as const
export type SensitiveContentMode = (typeof SENSITIVE_CONTENT_MODES)[number]

export interface Settings extends ClientSettings {
  /** Larger uploads are rejected. */
  user_file_max_upload_size_mb: number
  /** How long a deleted document stays in the trash. */
  trash_retention_days: number
  /** How long audit entries are kept; 0 is forever. */
  audit_retention_days: number
  /** How long a user's recent queries are kept; 0 disables them. */
  recent_query_retention_days: number
  /** How long queries and their results are kept for evaluating ranking changes; 0 disables recording. */
  recorded_query_retention_days: number
  /** How long a chat is kept after its last question; 0 is forever. */
  chat_retention_days: number
  /** A query that fewer people asked is hidden from administrators. */
  query_min_people: number
  /** How many tokens all keys together may use with language models per day (UTC); null is unlimited. */
  daily_token_limit: number | null
  /** Whether administrators may search as another person. */
  view_as_enabled: boolean
  /** The treatment of secrets and personal data in documents. */
  sensitive_content: SensitiveContentMode
}

export const DEFAULT_SETTINGS: Readonly<Settings> = {
  ...DEFAULT_CLIENT_SETTINGS,
  user_file_max_upload_size_mb: MAX_UPLOAD_SIZE_MB,
  trash_retention_days: 30,
  audit_retention_days: 730,
  recent_query_retention_days: 30,
  recorded_query_retention_days: 90,
  chat_retention_days: 0,
  query_min_people: 3,
  daily_token_limit: null,
  view_as_enabled: false,
  sensitive_content: 'report',
}

const days = (description: string) => optionalNullable(wireInteger({ min: 0, max: 36_500 })).describe(description)

/** Null means the default. Unknown settings are rejected. */
export const SettingsUpdate = z.strictObject({
  user_file_max_upload_size_mb: optionalNullable(wireInteger({ min: 1 })),
  trash_retention_days: days('How long a deleted document stays in the trash; 0 deletes it at once.'),
  audit_retention_days: days('How long audit entries are kept; 0 is forever.'),
  recent_query_retention_days: days('How long the recent queries of each user are kept; 0 disables them.'),
  recorded_query_retention_days: days(
    'How long queries and their results are kept for analytics and for evaluating ranking changes; 0 disables recording.',
  ),
  chat_retention_days: optionalNullable(wireNumber({ min: 0, max: 36_500 })).describe(
    'How long a chat is kept after its last question; 0 is forever.',
  ),
  ...clientSettingFields,
  query_min_people: optionalNullable(wireInteger({ min: 1, max: 1_000 })).describe(
    'Administrators see the text of a query only if at least this many people asked it.',
  ),
  daily_token_limit: optionalNullable(wireInteger({ min: 0 })).describe(
    'How many tokens all keys together may use with language models per day (UTC); beyond it chat answers with quotations.',
  ),
  view_as_enabled: optionalNullable(wireBoolean()).describe(
    'Whether administrators may search as another person: POST /admin/access/search-as. Each such search is audited.',
  ),
  sensitive_content: optionalNullable(wireEnum(SENSITIVE_CONTENT_MODES)).describe(
    'Whether secrets and personal data in documents are reported, and whether documents with secrets are quarantined: nobody finds them until an administrator releases them.',
  ),
})
export type SettingsUpdate = z.infer<typeof SettingsUpdate>

/** The chat retention has two names. Null in the second one means its default, which keeps chats forever. */
export function normalizeSettingsUpdate({
  maximum_chat_retention_days: days,
  ...update
}: SettingsUpdate): SettingsUpdate {
  if (days === undefined || (days === null && update.chat_retention_days !== undefined)) return update
  if (update.chat_retention_days !== undefined && update.chat_retention_days !== days) {
    const reason = '`chat_retention_days` and `maximum_chat_retention_days` are the same setting: send only one.'
    throw new AppError('INVALID_INPUT', { reason })
  }
  return { ...update, chat_retention_days: days }
}

/** A setting of the environment, as administrators see it. */
export interface OperatorSetting {
  /** Without the prefix PHAROS_. */
  name: string
  /** The operator chose another value than the default. */
  is_set: boolean
  is_secret: boolean
  /** Null: it is a secret, it has no value, or the service computes it. */
  value: string | null
  /** Null: by default it has no value. May describe a value that depends on the machine. */
  default_value: string | null
}

/** The settings that say how long something is kept. */
export const RETENTION_SETTINGS = [
  'chat_retention_days',
  'trash_retention_days',
  'audit_retention_days',
  'recent_query_retention_days',
  'recorded_query_retention_days',
] as const
export type RetentionSetting = (typeof RETENTION_SETTINGS)[number]

/** How many people must have asked a query before administrators see its text. */
export const minQueryPeople = ({ query_history_type, query_min_people }: Settings): number =>
  query_history_type === 'disabled' ? Number.POSITIVE_INFINITY : query_min_people

export function checkSettings({ user_file_max_upload_size_mb }: SettingsUpdate): void {
  if ((user_file_max_upload_size_mb ?? 0) > MAX_UPLOAD_SIZE_MB) {
    throw new AppError('INVALID_INPUT', {
      reason: `This service accepts files of at most ${MAX_UPLOAD_SIZE_MB} MB: user_file_max_upload_size_mb cannot be larger.`,
    })
  }
}
