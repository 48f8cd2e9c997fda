import { z } from 'zod'
import { checkSettings, DEFAULT_SETTINGS, MAX_UPLOAD_SIZE_MB, SettingsUpdate } from '../../domain/settings.ts'
import { getSettings, replaceSettings, updateSettings } from '../../store/settings.ts'
import { route } from '../route.ts'
import { VERSION } from '../version.ts'

const UserSettings = z
  .object({
    user_file_max_upload_size_mb: z.int(),
    trash_retention_days: z.int(),
    audit_retention_days: z.int(),
    recent_query_retention_days: z.int(),
    recorded_query_retention_days: z.int(),
    chat_retention_days: z.int(),
    query_min_people: z.int(),
    daily_token_limit: z.int().nullable(),
    max_allowed_upload_size_mb: z.int(),
    default_user_file_max_upload_size_mb: z.int(),
    application_status: z.enum(['active']),
    anonymous_user_enabled: z.boolean(),
    notifications: z.array(z.unknown()),
    needs_reindexing: z.boolean(),
    tenant_id: z.string(),
    vector_db_enabled: z.boolean(),
    version: z.string(),
  })
  .meta({ id: 'UserSettings' })

const AuthType = z
  .object({
    auth_type: z.enum(['basic']),
    multi_tenant: z.boolean(),
    requires_verification: z.boolean(),
    anonymous_user_enabled: z.boolean(),
    has_users: z.boolean(),
    oauth_enabled: z.boolean(),
  })
  .meta({ id: 'AuthTypeResponse' })

export const settingsRoutes = [
  route({
    method: 'GET',
    path: '/settings',
    access: 'authenticated',
    tag: 'Settings',
    summary: 'Settings',
    reply: UserSettings,
    handle: async ({ services }) => ({
      ...(await getSettings(services.db)),
      max_allowed_upload_size_mb: MAX_UPLOAD_SIZE_MB,
      default_user_file_max_upload_size_mb: DEFAULT_SETTINGS.user_file_max_upload_size_mb,
      application_status: 'active' as const,
      anonymous_user_enabled: false,
      notifications: [],
      needs_reindexing: false,
      tenant_id: 'public',
      vector_db_enabled: true,
      version: VERSION,
    }),
  }),
  route({
    method: 'PATCH',
    path: '/admin/settings',
    access: 'admin',
    tag: 'Settings',
    summary: 'Update settings',
    description: 'Changes only what is sent; null goes back to the default.',
    body: SettingsUpdate,
    audit: { action: 'settings.update' },
    reply: z.null(),
    handle: async ({ body, services }) => {
      checkSettings(body)
      await updateSettings(services.db, body)
      return null
    },
  }),
  route({
    method: 'PUT',
    path: '/admin/settings',
    access: 'admin',
    tag: 'Settings',
    summary: 'Replace settings',
    description: 'What is absent or null goes back to its default.',
    body: SettingsUpdate,
    audit: { action: 'settings.replace' },
    reply: z.null(),
    handle: async ({ body, services }) => {
      checkSettings(body)
      await replaceSettings(services.db, body)
      return null
    },
  }),
  route({
    method: 'GET',
    path: '/auth/type',
    access: 'public',
    tag: 'Settings',
    summary: 'How one signs in',
    reply: AuthType,
    handle: () => ({
      auth_type: 'basic' as const,
      multi_tenant: false,
      requires_verification: false,
      anonymous_user_enabled: false,
      has_users: true,
      oauth_enabled: false,
    }),
  }),
]
