// Preferences of a person for the pages: they are kept with the account, so that they are the same in every browser.
import { z } from 'zod'
import { AppError } from '../../../domain/errors.ts'
import type { Subject } from '../../../domain/subject.ts'
import { DENSITIES, isTimeZone, NO_PREFERENCES, type Preferences, THEMES } from '../../../domain/values/preferences.ts'
import type { Queryable } from '../../../store/database/database.ts'
import { changePreferences, findPreferences } from '../../../store/identity/people.ts'
import { optionalNullable, wireEnum, wireString } from '../../../wire/schemas.ts'
import { route } from '../../route.ts'

export const UserPreferences = z
  .object({
    chosen_assistants: z.array(z.int()).nullable(),
    hidden_assistants: z.array(z.int()),
    visible_assistants: z.array(z.int()),
    pinned_assistants: z.array(z.int()).nullable(),
    default_model: z.string().nullable(),
    shortcut_enabled: z.boolean().nullable(),
    auto_scroll: z.boolean().nullable(),
    temperature_override_enabled: z.boolean().nullable(),
    theme_preference: z.enum(THEMES).nullable(),
    default_app_mode: z.enum(['CHAT', 'SEARCH']),
    language: z.string().nullable(),
    time_zone: z.string().nullable(),
    density: z.enum(DENSITIES).nullable(),
  })
  .describe(
    'Stored with the person: `theme_preference`, `language`, `time_zone` and `density`. Null leaves the choice to the browser. The other fields are those of the existing server, always with their defaults.',
  )
  .meta({ id: 'UserPreferences' })

const onTheWire = ({ theme, ...rest }: Preferences): z.infer<typeof UserPreferences> => ({
  chosen_assistants: null,
  hidden_assistants: [],
  visible_assistants: [],
  pinned_assistants: null,
  default_model: null,
  shortcut_enabled: null,
  auto_scroll: null,
  temperature_override_enabled: null,
  theme_preference: theme,
  default_app_mode: 'SEARCH',
  ...rest,
})

/** A key that acts for nobody has chosen nothing. */
export async function preferencesOf(db: Queryable, { person_id }: Pick<Subject, 'person_id'>) {
  const found = person_id === null ? undefined : await findPreferences(db, person_id)
  return onTheWire(found ?? NO_PREFERENCES)
}

/** A language tag, https://www.rfc-editor.org/info/bcp47 */
const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}$/

export const preferenceRoutes = [
  route({
    name: 'updatePreferences',
    method: 'PATCH',
    path: '/user/preferences',
    access: 'pats',
    tag: 'People',
    summary: 'Set own preferences',
    description:
      'Sets the language, the time zone, the theme and the density of the pages for the caller. Null leaves the choice to the browser. An absent field is left unchanged.',
    body: z
      .object({
        language: optionalNullable(wireString({ max: 35, pattern: LANGUAGE })).describe('A BCP 47 tag, such as `de`.'),
        time_zone: optionalNullable(wireString({ min: 1, max: 64 })).describe('Such as `Europe/Berlin`.'),
        theme_preference: optionalNullable(wireEnum(THEMES)),
        density: optionalNullable(wireEnum(DENSITIES)),
      })
      .meta({ id: 'UserPreferencesUpdate' }),
    reply: UserPreferences,
    errors: ['NO_PERSON', 'INVALID_INPUT'],
    services: ['db', 'now'],
    handle: async ({ subject: { person_id }, body: { theme_preference: theme, ...rest }, services: { db, now } }) => {
      if (typeof rest.time_zone === 'string' && !isTimeZone(rest.time_zone))
        throw new AppError('INVALID_INPUT', {
          reason:
            'The time zone is not known. In `time_zone`, use a name of the IANA time zone database, such as Europe/Berlin.',
        })
      const changed = person_id === null ? undefined : await changePreferences(db, person_id, { ...rest, theme }, now())
      if (changed === undefined) throw new AppError('NO_PERSON')
      return onTheWire(changed)
    },
  }),
]
