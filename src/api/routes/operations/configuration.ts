// The settings as administrators see them: what they can change, what the operator set, and what retention would delete.
import { z } from 'zod'
import {
  DEFAULT_SETTINGS,
  normalizeSettingsUpdate,
  RETENTION_SETTINGS,
  type RetentionSetting,
  type Settings,
  SettingsUpdate,
} from '../../../domain/settings.ts'
import type { Queryable } from '../../../store/database/database.ts'
import { countRetained, RETAINED_KINDS, type RetainedKind, SETTING_OF_KIND } from '../../../store/settings/retention.ts'
import { getSettings, settingsVersion } from '../../../store/settings/settings.ts'
import { daysBefore } from '../../../wire/date-time.ts'
import { route } from '../../route.ts'
import { isoOrNull } from '../../wire/iso.ts'
import { UserSettings, userSettings } from './settings.ts'

const OperatorSetting = z
  .object({
    name: z.string().describe('The name of the environment variable, without the prefix `PHAROS_`.'),
    is_set: z.boolean().describe('Whether the operator chose another value than the default.'),
    is_secret: z.boolean(),
    value: z
      .string()
      .nullable()
      .describe(
        'Null if it is a secret, has no value or is computed. Addresses are shown without user, password and query.',
      ),
    default_value: z.string().nullable().describe('Null if it has no value by default.'),
  })
  .meta({ id: 'OperatorSetting' })

const Configuration = z
  .object({
    settings_version: z.string().describe('Changes with the settings: the `expected_version` of an update.'),
    settings: UserSettings,
    default_settings: UserSettings,
    operator_settings: z
      .array(OperatorSetting)
      .describe('The environment variables that this process was started with. Changing them takes a restart.'),
    program: z
      .object({
        version: z.string(),
        node_version: z.string(),
        database: z.enum(['sqlite', 'postgresql']),
      })
      .meta({ id: 'ProgramFacts' }),
  })
  .meta({ id: 'Configuration' })

const RetentionPreview = z
  .object({
    kind: z.enum(RETAINED_KINDS),
    setting: z.enum(RETENTION_SETTINGS),
    days: z.number().describe('The value of the setting that this counts with.'),
    kept: z.int().describe('How many there are now.'),
    oldest: z.iso.datetime().nullable(),
    would_go: z.int().describe('How many of them are older than that.'),
  })
  .meta({ id: 'RetentionPreview' })

const { shape } = SettingsUpdate
const RetentionQuery = z.object({
  chat_retention_days: shape.chat_retention_days,
  trash_retention_days: shape.trash_retention_days,
  audit_retention_days: shape.audit_retention_days,
  recent_query_retention_days: shape.recent_query_retention_days,
  recorded_query_retention_days: shape.recorded_query_retention_days,
})

const configurationDefaults = { method: 'GET', access: 'admin', tag: 'Settings' } as const

export const configurationRoutes = [
  route({
    ...configurationDefaults,
    name: 'getConfiguration',
    path: '/admin/configuration',
    summary: 'Get configuration',
    description:
      'The settings with their version and their defaults, the environment variables of the operator, and the version of the program. Never contains a secret.',
    reply: Configuration,
    services: ['db', 'operatorSettings', 'program'],
    handle: async ({ services: { db, operatorSettings, program } }) => {
      const settings = await getSettings(db)
      return {
        settings_version: settingsVersion(settings),
        settings: userSettings(settings),
        default_settings: userSettings(DEFAULT_SETTINGS),
        operator_settings: [...operatorSettings],
        program,
      }
    },
  }),
  route({
    ...configurationDefaults,
    name: 'previewRetention',
    path: '/admin/settings/retention',
    summary: 'Preview retention',
    description:
      'Counts what is kept, and how much of it would go within a minute if the settings had these values. A setting that is not sent counts with its current value.',
    query: RetentionQuery,
    reply: z.array(RetentionPreview),
    services: ['db', 'now'],
    handle: async ({ query, services: { db, now } }) => {
      const stored = await getSettings(db)
      const settings = { ...stored, ...withoutMissing(query) }
      const previews: z.infer<typeof RetentionPreview>[] = []
      for (const kind of RETAINED_KINDS) previews.push(await previewOf(db, kind, settings, now()))
      return previews
    },
  }),
]

type RetentionDays = Pick<Settings, RetentionSetting>

/** Null is the default of the setting. */
const withoutMissing = (query: z.infer<typeof RetentionQuery>): Partial<RetentionDays> =>
  Object.fromEntries(
    Object.entries(normalizeSettingsUpdate(query)).flatMap(([name, days]) => {
      const setting = RETENTION_SETTINGS.find((it) => it === name)
      if (setting === undefined || days === undefined) return []
      return [[setting, days ?? DEFAULT_SETTINGS[setting]]]
    }),
  )

async function previewOf(db: Queryable, kind: RetainedKind, settings: RetentionDays, now: number) {
  const setting = SETTING_OF_KIND[kind]
  const days = settings[setting]
  const before = days === 0 && KEEPS_FOREVER_AT_0.has(setting) ? null : daysBefore(now, days)
  const { kept, oldest, expired } = await countRetained(db, kind, before)
  return { kind, setting, days, kept, oldest: isoOrNull(oldest), would_go: expired }
}

/** For the others, 0 days keeps nothing. */
const KEEPS_FOREVER_AT_0: ReadonlySet<RetentionSetting> = new Set(['chat_retention_days', 'audit_retention_days'])
