// Settings kept for clients of the existing server, and the values accepted here. A setting that cannot be honoured is
// rejected with a reason, so that a client reads back what it wrote.
import { z } from 'zod'
import {
  optionalNullable,
  WITHOUT_NUL,
  wireBoolean,
  wireEnum,
  wireInteger,
  wireNumber,
  wireString,
} from '../wire/schemas.ts'

export const QUERY_HISTORY_TYPES = ['normal', 'anonymized', 'disabled'] as const

export interface ClientSettings {
  company_name: string | null
  company_description: string | null
  query_history_type: (typeof QUERY_HISTORY_TYPES)[number]
  temperature_override_enabled: boolean
  auto_scroll: boolean
  search_ui_enabled: boolean
  show_extra_connectors: boolean
  image_analysis_max_size_mb: number
  gpu_enabled: boolean
  invite_only_enabled: boolean
  deep_research_enabled: boolean
  ee_features_enabled: boolean
  image_extraction_and_analysis_enabled: boolean
  search_time_image_analysis_enabled: boolean
  user_knowledge_enabled: boolean
  disable_default_assistant: boolean
  file_token_count_threshold_k: number | null
}

export const DEFAULT_CLIENT_SETTINGS: Readonly<ClientSettings> = {
  company_name: null,
  company_description: null,
  query_history_type: 'anonymized',
  temperature_override_enabled: true,
  auto_scroll: false,
  search_ui_enabled: true,
  show_extra_connectors: true,
  image_analysis_max_size_mb: 20,
  gpu_enabled: false,
  invite_only_enabled: false,
  deep_research_enabled: false,
  ee_features_enabled: false,
  image_extraction_and_analysis_enabled: false,
  search_time_image_analysis_enabled: false,
  user_knowledge_enabled: true,
  disable_default_assistant: false,
  file_token_count_threshold_k: null,
}

/** Accepts null and the one supported value. */
const fixedFlag = (value: boolean, reason: string) =>
  optionalNullable(wireBoolean()).refine((it) => it === undefined || it === null || it === value, reason)

const displayOnlyFlag = () =>
  optionalNullable(wireBoolean()).describe('Stored for clients that use it; has no effect on this service.')
const optionalText = (max: number) => optionalNullable(wireString({ max, pattern: WITHOUT_NUL }))
const NO_IMAGES = 'images are not analysed: omit it, or send false'

/** Null means the default. */
export const clientSettingFields = {
  company_name: optionalText(1_000).describe('The company name given to language models.'),
  company_description: optionalText(10_000).describe('A description of the company given to language models.'),
  maximum_chat_retention_days: optionalNullable(wireNumber({ max: 36_500 }))
    .refine((it) => it === undefined || it === null || it > 0, 'a number of days above 0; null keeps chats forever')
    .describe('Another name for `chat_retention_days`; null keeps chats forever.'),
  query_history_type: optionalNullable(wireEnum(QUERY_HISTORY_TYPES)).describe(
    'What administrators see of queries: `disabled` hides their texts, `anonymized` hides the names of people.',
  ),
  temperature_override_enabled: displayOnlyFlag(),
  auto_scroll: displayOnlyFlag(),
  search_ui_enabled: displayOnlyFlag(),
  show_extra_connectors: displayOnlyFlag(),
  image_analysis_max_size_mb: optionalNullable(wireInteger({ min: 1, max: 10_000 })).describe(
    'Stored for clients that use it; images are not analysed.',
  ),
  gpu_enabled: fixedFlag(false, 'models run without a GPU: omit it, or send false'),
  invite_only_enabled: fixedFlag(false, 'there is no registration, administrators create keys: omit it, or send false'),
  deep_research_enabled: fixedFlag(false, 'deep research is not available: omit it, or send false'),
  ee_features_enabled: fixedFlag(false, 'this service has no enterprise licence: omit it, or send false'),
  image_extraction_and_analysis_enabled: fixedFlag(false, NO_IMAGES),
  search_time_image_analysis_enabled: fixedFlag(false, NO_IMAGES),
  user_knowledge_enabled: fixedFlag(true, 'people may always upload files of their own: omit it, or send true'),
  disable_default_assistant: fixedFlag(
    false,
    'PATCH /admin/persona/0/listed removes persona 0 from the lists: omit this, or send false',
  ),
  file_token_count_threshold_k: optionalNullable(wireInteger()).refine(
    (it) => it === undefined || it === null,
    '`user_file_max_upload_size_mb` limits files by their size: omit this, or send null',
  ),
}

/** The form in which `GET /settings` returns them. */
export const clientSettingView = {
  company_name: z.string().nullable(),
  company_description: z.string().nullable(),
  maximum_chat_retention_days: z.number().nullable(),
  query_history_type: z.enum(QUERY_HISTORY_TYPES),
  temperature_override_enabled: z.boolean(),
  auto_scroll: z.boolean(),
  search_ui_enabled: z.boolean(),
  show_extra_connectors: z.boolean(),
  image_analysis_max_size_mb: z.int(),
  gpu_enabled: z.boolean(),
  invite_only_enabled: z.boolean(),
  deep_research_enabled: z.boolean(),
  ee_features_enabled: z.boolean(),
  image_extraction_and_analysis_enabled: z.boolean(),
  search_time_image_analysis_enabled: z.boolean(),
  user_knowledge_enabled: z.boolean(),
  disable_default_assistant: z.boolean(),
  file_token_count_threshold_k: z.int().nullable(),
}
