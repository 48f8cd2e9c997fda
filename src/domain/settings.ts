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
}

export const DEFAULT_SETTINGS: Readonly<Settings> = {
  user_file_max_upload_size_mb: MAX_UPLOAD_SIZE_MB,
  trash_retention_days: 30,
  audit_retention_days: 730,
  recent_query_retention_days: 30,
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
