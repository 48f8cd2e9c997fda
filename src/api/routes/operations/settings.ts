import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { clientSettingView } from '../../../domain/client-settings.ts'
import {
  checkSettings,
  DEFAULT_SETTINGS,
  MAX_UPLOAD_SIZE_MB,
  normalizeSettingsUpdate,
  SENSITIVE_CONTENT_MODES,
  type Settings,
  SettingsUpdate,
} from '../../../domain/settings.ts'
import { MIN_PASSWORD_LENGTH } from '../../../identity/passwords/password-policy.ts'
import { MAX_PASSWORD_LENGTH } from '../../../identity/passwords/passwords.ts'
import type { Database } from '../../../store/database/database.ts'
import { hasPeople } from '../../../store/identity/people.ts'
import { hasEnabledProvider } from '../../../store/identity/providers/sign-in-providers.ts'
import { listRegistrationDomains } from '../../../store/identity/sign-in/registration-domains.ts'
import { getSettings, replaceSettings, updateSettings } from '../../../store/settings/settings.ts'
import { problem } from '../../../wire/problem.ts'
import { wireType } from '../../../wire/schema-type.ts'
import { nullish, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'
import { API_VERSION } from '../../version.ts'

export const UserSettings = z
  .object({
    user_file_max_upload_size_mb: z.int(),
    trash_retention_days: z.int(),
    audit_retention_days: z.int(),
    recent_query_retention_days: z.int(),
    recorded_query_retention_days: z.int(),
    chat_retention_days: z.number(),
    ...clientSettingView,
    query_min_people: z.int(),
    daily_token_limit: z.int().nullable(),
    view_as_enabled: z.boolean().describe('Whether administrators may search as another person.'),
    sensitive_content: z.enum(SENSITIVE_CONTENT_MODES),
    max_allowed_upload_size_mb: z.int(),
    default_user_file_max_upload_size_mb: z.int(),
    application_status: z.enum(['active']),
    anonymous_user_enabled: z.boolean(),
    notifications: z.array(z.unknown()),
    needs_reindexing: z.boolean(),
    tenant_id: z.string(),
    vector_db_enabled: z.boolean(),
    seat_count: z.null(),
    used_seats: z.null(),
    opensearch_indexing_enabled: z.boolean(),
    version: z.string(),
  })
  .meta({ id: 'UserSettings' })

/** Read-only fields of the settings. */
const COMPUTED_SETTINGS = {
  max_allowed_upload_size_mb: MAX_UPLOAD_SIZE_MB,
  default_user_file_max_upload_size_mb: DEFAULT_SETTINGS.user_file_max_upload_size_mb,
  application_status: 'active' as const,
  anonymous_user_enabled: false,
  notifications: [],
  needs_reindexing: false,
  tenant_id: 'public',
  vector_db_enabled: true,
  seat_count: null,
  used_seats: null,
  opensearch_indexing_enabled: false,
  version: API_VERSION,
}

const READ_ONLY_REASONS: Readonly<Record<string, string>> = {
  anonymous_user_enabled: 'anonymous access is not supported: every request requires a key or a session',
}

/** Accepts the value that was read, so that clients can send settings back; rejects any other value. */
const readOnlySetting = (name: string, value: string | number | boolean | null | readonly unknown[]) => {
  const mismatch = problem('value_error', READ_ONLY_REASONS[name] ?? `${name} is computed and cannot be set`)
  const parse = (sent: unknown) => (sent === null || isDeepStrictEqual(sent, value) ? value : mismatch)
  return wireType<unknown>(
    parse,
    value !== null && typeof value === 'object' ? { type: 'array', maxItems: 0 } : { const: value },
  ).optional()
}

const SettingsRequest = SettingsUpdate.extend({
  ...Object.fromEntries(Object.entries(COMPUTED_SETTINGS).map(([name, value]) => [name, readOnlySetting(name, value)])),
  expected_version: nullish(wireString({ max: 100 })).describe(
    'The `settings_version` of `GET /admin/configuration` that this changes. Fails with 409 if the settings have changed since.',
  ),
})
  .transform(({ expected_version, ...sent }) => ({ settings: withoutComputed(sent), expected_version }))
  .meta({ id: 'SettingsUpdate' })

function withoutComputed(sent: Record<string, unknown>): SettingsUpdate {
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !Object.hasOwn(COMPUTED_SETTINGS, name)))
}

const AuthTypeResponse = z
  .object({
    auth_type: z.enum(['basic']),
    multi_tenant: z.boolean(),
    requires_verification: z.boolean(),
    anonymous_user_enabled: z.boolean(),
    has_users: z.boolean().describe('Whether there are people; keys alone do not count.'),
    oauth_enabled: z.boolean().describe('Whether a provider of OpenID Connect is switched on.'),
    password_min_length: z.int(),
    password_max_length: z.int(),
    password_reset_enabled: z.boolean().describe('Whether a link for a new password can be mailed.'),
    registration_enabled: z.boolean().describe('Whether people of an opened e-mail domain can create an account.'),
  })
  .meta({ id: 'AuthTypeResponse' })

const loadUserSettings = async (db: Database) => userSettings(await getSettings(db))

export function userSettings(settings: Settings): z.infer<typeof UserSettings> {
  const { chat_retention_days: days } = settings
  return {
    ...settings,
    maximum_chat_retention_days: days === 0 ? null : days,
    ...COMPUTED_SETTINGS,
  }
}

export const settingsRoutes = [
  route({
    name: 'getSettings',
    method: 'GET',
    path: '/settings',
    access: 'authenticated',
    tag: 'Settings',
    summary: 'Get settings',
    reply: UserSettings,
    services: ['db'],
    handle: ({ services }) => loadUserSettings(services.db),
  }),
  route({
    name: 'getSettingsAlias',
    method: 'GET',
    path: '/admin/settings',
    access: 'admin',
    tag: 'Settings',
    summary: 'Get settings (admin path)',
    description: 'Same as `GET /settings`.',
    reply: UserSettings,
    services: ['db'],
    handle: ({ services }) => loadUserSettings(services.db),
  }),
  route({
    name: 'updateSettings',
    method: 'PATCH',
    path: '/admin/settings',
    access: 'admin',
    tag: 'Settings',
    summary: 'Update settings',
    description: 'Changes only the fields that are sent; null restores the default.',
    body: SettingsRequest,
    audit: { action: 'settings.update' },
    reply: z.null(),
    errors: ['INVALID_INPUT', 'SETTINGS_CHANGED'],
    services: ['db', 'sensitiveContent'],
    handle: async ({ body: { settings, expected_version }, services }) => {
      checkSettings(settings)
      await updateSettings(services.db, normalizeSettingsUpdate(settings), expected_version)
      services.sensitiveContent.wake()
      return null
    },
  }),
  route({
    name: 'replaceSettings',
    method: 'PUT',
    path: '/admin/settings',
    access: 'admin',
    tag: 'Settings',
    summary: 'Replace settings',
    description: 'Fields that are absent or null are reset to their defaults.',
    body: SettingsRequest,
    audit: { action: 'settings.replace' },
    reply: z.null(),
    errors: ['INVALID_INPUT', 'SETTINGS_CHANGED'],
    services: ['db', 'sensitiveContent'],
    handle: async ({ body: { settings, expected_version }, services }) => {
      checkSettings(settings)
      await replaceSettings(services.db, normalizeSettingsUpdate(settings), expected_version)
      services.sensitiveContent.wake()
      return null
    },
  }),
  route({
    name: 'getAuthType',
    method: 'GET',
    path: '/auth/type',
    access: 'public',
    tag: 'Settings',
    summary: 'Get authentication type',
    reply: AuthTypeResponse,
    services: ['db', 'mail'],
    handle: async ({ services: { db, mail } }) => ({
      auth_type: 'basic' as const,
      multi_tenant: false,
      requires_verification: false,
      anonymous_user_enabled: false,
      has_users: await hasPeople(db),
      oauth_enabled: await hasEnabledProvider(db, 'oidc'),
      password_min_length: MIN_PASSWORD_LENGTH,
      password_max_length: MAX_PASSWORD_LENGTH,
      password_reset_enabled: mail.isConfigured,
      registration_enabled: mail.isConfigured && (await listRegistrationDomains(db)).length > 0,
    }),
  }),
]
