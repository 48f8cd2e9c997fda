// The settings that an administrator changes here, in the order of the page.
import type { SettingsUpdate, UserSettings } from '../../../../src/client/schemas.ts'

export type SettingName = Exclude<keyof SettingsUpdate & keyof UserSettings, ReadOnly>
type ReadOnly =
  | 'maximum_chat_retention_days'
  | 'max_allowed_upload_size_mb'
  | 'default_user_file_max_upload_size_mb'
  | 'application_status'
  | 'anonymous_user_enabled'
  | 'notifications'
  | 'needs_reindexing'
  | 'tenant_id'
  | 'vector_db_enabled'
  | 'seat_count'
  | 'used_seats'
  | 'opensearch_indexing_enabled'
  | 'version'
  | 'file_token_count_threshold_k'
  | 'gpu_enabled'
  | 'invite_only_enabled'
  | 'deep_research_enabled'
  | 'ee_features_enabled'
  | 'image_extraction_and_analysis_enabled'
  | 'search_time_image_analysis_enabled'
  | 'user_knowledge_enabled'
  | 'disable_default_assistant'

export const HISTORY_TYPES = ['normal', 'anonymized', 'disabled'] as const

export const SENSITIVE_CONTENT_MODES = ['off', 'report', 'quarantine'] as const

export type SettingKind =
  | { is: 'text'; maxLength: number; isLong?: true }
  | { is: 'flag' }
  | { is: 'history_type' }
  | { is: 'sensitive_content_mode' }
  | { is: 'number'; min: number; max: number | null; isWhole: boolean }

const MAX_DAYS = 36_500
const days = { is: 'number', min: 0, max: MAX_DAYS, isWhole: true } as const
const flag = { is: 'flag' } as const

/** The ranges are those of the API. */
export const SETTING_KINDS = {
  company_name: { is: 'text', maxLength: 1_000 },
  company_description: { is: 'text', maxLength: 10_000, isLong: true },
  query_history_type: { is: 'history_type' },
  query_min_people: { is: 'number', min: 1, max: 1_000, isWhole: true },
  view_as_enabled: flag,
  sensitive_content: { is: 'sensitive_content_mode' },
  chat_retention_days: { ...days, isWhole: false },
  trash_retention_days: days,
  audit_retention_days: days,
  recent_query_retention_days: days,
  recorded_query_retention_days: days,
  user_file_max_upload_size_mb: { is: 'number', min: 1, max: 250, isWhole: true },
  daily_token_limit: { is: 'number', min: 0, max: null, isWhole: true },
  temperature_override_enabled: flag,
  auto_scroll: flag,
  search_ui_enabled: flag,
  show_extra_connectors: flag,
  image_analysis_max_size_mb: { is: 'number', min: 1, max: 10_000, isWhole: true },
} satisfies Record<SettingName, SettingKind>

export const RETENTION_NAMES = [
  'chat_retention_days',
  'trash_retention_days',
  'audit_retention_days',
  'recent_query_retention_days',
  'recorded_query_retention_days',
] as const

export const SETTING_GROUPS = [
  { name: 'company', settings: ['company_name', 'company_description'] },
  { name: 'privacy', settings: ['query_history_type', 'query_min_people', 'view_as_enabled', 'sensitive_content'] },
  { name: 'retention', settings: RETENTION_NAMES },
  { name: 'limits', settings: ['user_file_max_upload_size_mb', 'daily_token_limit'] },
  {
    name: 'clients',
    settings: [
      'temperature_override_enabled',
      'auto_scroll',
      'search_ui_enabled',
      'show_extra_connectors',
      'image_analysis_max_size_mb',
    ],
  },
] as const satisfies readonly { name: string; settings: readonly SettingName[] }[]

export const SETTING_NAMES: readonly SettingName[] = SETTING_GROUPS.flatMap((it) => [...it.settings])
