// Settings as the texts of a form, and back. An empty text is the default.
import type { SettingsUpdate, UserSettings } from '../../../../src/client/schemas.ts'
import { formatCount } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import {
  HISTORY_TYPES,
  SENSITIVE_CONTENT_MODES,
  SETTING_KINDS,
  SETTING_NAMES,
  type SettingKind,
  type SettingName,
} from './setting-fields.ts'

export type SettingTexts = Readonly<Record<SettingName, string>>

export interface SettingDifference {
  name: SettingName
  before: string
  after: string
}

export function textsOfSettings(settings: UserSettings): SettingTexts {
  const { company_name, company_description, query_history_type, sensitive_content, daily_token_limit, ...rest } =
    settings
  return {
    company_name: company_name ?? '',
    company_description: company_description ?? '',
    query_history_type,
    sensitive_content,
    daily_token_limit: daily_token_limit?.toString() ?? '',
    query_min_people: `${rest.query_min_people}`,
    view_as_enabled: `${rest.view_as_enabled}`,
    chat_retention_days: `${rest.chat_retention_days}`,
    trash_retention_days: `${rest.trash_retention_days}`,
    audit_retention_days: `${rest.audit_retention_days}`,
    recent_query_retention_days: `${rest.recent_query_retention_days}`,
    recorded_query_retention_days: `${rest.recorded_query_retention_days}`,
    user_file_max_upload_size_mb: `${rest.user_file_max_upload_size_mb}`,
    temperature_override_enabled: `${rest.temperature_override_enabled}`,
    auto_scroll: `${rest.auto_scroll}`,
    search_ui_enabled: `${rest.search_ui_enabled}`,
    show_extra_connectors: `${rest.show_extra_connectors}`,
    image_analysis_max_size_mb: `${rest.image_analysis_max_size_mb}`,
  }
}

/** Compares what the texts mean: an emptied field is its default. */
export function differencesOf(before: SettingTexts, after: SettingTexts, defaults: SettingTexts): SettingDifference[] {
  const meant = (texts: SettingTexts, name: SettingName) => (texts[name].trim() === '' ? defaults[name] : texts[name])
  return SETTING_NAMES.map((name) => ({ name, before: meant(before, name), after: meant(after, name) })).filter(
    (it) => it.before !== it.after,
  )
}

export const updateOf = (differences: readonly SettingDifference[]): SettingsUpdate =>
  Object.fromEntries(differences.map(({ name, after }) => [name, wireValue(SETTING_KINDS[name], after)]))

function wireValue({ is }: SettingKind, text: string): string | number | boolean | null {
  if (text === '') return null
  if (is === 'flag') return text === 'true'
  return is === 'number' ? Number(text) : text
}

/** The value in words, for a table. Empty if there is none. */
export function wordsOf(name: SettingName, text: string): string {
  const t = textsOf('admin.settings')
  const kind: SettingKind = SETTING_KINDS[name]
  if (text === '') return ''
  if (kind.is === 'flag') return text === 'true' ? t('on') : t('off')
  if (kind.is === 'number') return formatCount(Number(text))
  const mode = kind.is === 'sensitive_content_mode' ? SENSITIVE_CONTENT_MODES.find((it) => it === text) : undefined
  if (mode !== undefined) return t(`sensitive_content_modes.${mode}`)
  const chosen = kind.is === 'history_type' ? HISTORY_TYPES.find((it) => it === text) : undefined
  return chosen === undefined ? text : t(`history_types.${chosen}`)
}
