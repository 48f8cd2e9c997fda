// How the pages look and speak. The account keeps it, for every browser of the person.
import { NativeSelect } from '@mantine/core'
import type { UserPreferences } from '../../../../src/client/schemas.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { chooseDensity, loadAgain } from '../../preferences.ts'
import { useSavePreferences } from '../../save-preferences.ts'
import { chooseLanguage, chooseTimeZone, isLanguage, LANGUAGES, nameOfLanguage, timeZone } from '../../text/language.ts'
import { textsOf } from '../../text/texts.ts'

const THEMES = ['system', 'light', 'dark'] as const
const DENSITIES = ['comfortable', 'compact'] as const
const ZONES = Intl.supportedValuesOf('timeZone')

const oneOf = <Value extends string>(values: readonly Value[], text: string): Value | null =>
  values.find((it) => it === text) ?? null

export function Preferences({ preferences }: { preferences: UserPreferences }) {
  const t = textsOf('account.preferences')
  const save = useSavePreferences()
  return (
    <section className="card" aria-labelledby="preferences">
      <div className="section-head">
        <h2 id="preferences">{t('title')}</h2>
      </div>
      <div className="stack account-body">
        <p className="dimmed">{t('help')}</p>
        <LanguageAndTime preferences={preferences} />
        <NativeSelect
          label={t('theme')}
          value={preferences.theme_preference ?? 'system'}
          onChange={(event) => save.mutate({ theme_preference: oneOf(THEMES, event.currentTarget.value) })}
          data={THEMES.map((value) => ({ value, label: t(`themes.${value}`) }))}
        />
        <NativeSelect
          label={t('density')}
          description={t('density_help')}
          value={preferences.density ?? 'comfortable'}
          onChange={(event) => {
            const density = oneOf(DENSITIES, event.currentTarget.value)
            save.mutate({ density }, { onSuccess: () => chooseDensity(density) })
          }}
          data={DENSITIES.map((value) => ({ value, label: t(`densities.${value}`) }))}
        />
        {save.isError && <ErrorAlert error={save.error} />}
      </div>
    </section>
  )
}

/** Both take effect when the page is loaded again. */
function LanguageAndTime({ preferences: { language: chosen, time_zone } }: { preferences: UserPreferences }) {
  const t = textsOf('account.preferences')
  const save = useSavePreferences()
  const chooseOtherLanguage = (value: string) => {
    const language = isLanguage(value) ? value : null
    save.mutate({ language }, { onSuccess: () => showAgain(() => chooseLanguage(language)) })
  }
  const chooseOtherZone = (value: string) => {
    const zone = value === '' ? null : value
    save.mutate({ time_zone: zone }, { onSuccess: () => showAgain(() => chooseTimeZone(zone)) })
  }
  const zones = time_zone === null || ZONES.includes(time_zone) ? ZONES : [time_zone, ...ZONES]
  return (
    <>
      <NativeSelect
        label={t('language')}
        value={chosen ?? ''}
        disabled={save.isPending}
        onChange={(event) => chooseOtherLanguage(event.currentTarget.value)}
        data={[
          { value: '', label: t('of_browser') },
          ...LANGUAGES.map((it) => ({ value: it, label: nameOfLanguage(it) })),
        ]}
      />
      <NativeSelect
        label={t('time_zone')}
        value={time_zone ?? ''}
        disabled={save.isPending}
        onChange={(event) => chooseOtherZone(event.currentTarget.value)}
        data={[
          { value: '', label: time_zone === null ? t('of_browser_zone', { zone: timeZone }) : t('of_browser') },
          ...zones,
        ]}
      />
      {save.isError && <ErrorAlert error={save.error} />}
    </>
  )
}

function showAgain(store: () => void): void {
  store()
  void loadAgain('/account')
}
