// The form of the settings. Nothing is saved before its difference was shown. If another person changed the settings
// meanwhile, the difference to theirs is shown too, and nothing is overwritten unseen.
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../../../src/client/api.ts'
import { updateSettings } from '../../../../src/client/operations.ts'
import type { Configuration } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { textsOf } from '../../text/texts.ts'
import { configurationQuery } from './configuration-query.ts'
import { Retention } from './retention.tsx'
import { ReviewChanges } from './review-changes.tsx'
import { RETENTION_NAMES, SETTING_GROUPS, type SettingName } from './setting-fields.ts'
import { SettingInput } from './setting-input.tsx'
import {
  differencesOf,
  type SettingDifference,
  type SettingTexts,
  textsOfSettings,
  updateOf,
} from './setting-values.ts'

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409

/** `base`: the settings that the person has seen. `theirs`: what another person changed since. */
export function SettingsForm({ configuration }: { configuration: Configuration }) {
  const queryClient = useQueryClient()
  const [base, setBase] = useState(configuration)
  const before = textsOfSettings(base.settings)
  const defaults = textsOfSettings(base.default_settings)
  const [texts, setTexts] = useState<SettingTexts>(before)
  const [theirs, setTheirs] = useState<readonly SettingDifference[]>([])
  const [isReviewing, setIsReviewing] = useState(false)
  const mine = differencesOf(before, texts, defaults)
  const showAnew = (current: Configuration) => {
    setBase(current)
    setTexts(textsOfSettings(current.settings))
    setTheirs([])
  }
  // A form without changes follows the settings; changes stay, and the save shows what has changed beneath them.
  if (mine.length === 0 && !isReviewing && configuration.settings_version !== base.settings_version)
    showAnew(configuration)
  const readAgain = () => queryClient.fetchQuery({ ...configurationQuery, staleTime: 0 })
  const save = useMutation({
    mutationFn: () => updateSettings(api, { body: { ...updateOf(mine), expected_version: base.settings_version } }),
    onSuccess: async () => {
      showAnew(await readAgain())
      setIsReviewing(false)
      await queryClient.invalidateQueries()
    },
    onError: async (error) => {
      if (!isConflict(error)) return
      const current = await readAgain()
      const currentTexts = textsOfSettings(current.settings)
      setTheirs(differencesOf(before, currentTexts, defaults))
      setTexts({ ...currentTexts, ...Object.fromEntries(mine.map(({ name, after }) => [name, after])) })
      setBase(current)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (mine.length > 0) setIsReviewing(true)
  }
  return (
    <form className="stack" onSubmit={submit}>
      {SETTING_GROUPS.map((group) => (
        <SettingGroup
          key={group.name}
          group={group}
          texts={texts}
          defaults={defaults}
          onChange={(name, text) => setTexts({ ...texts, [name]: text })}
        />
      ))}
      <ChangeBar count={mine.length} isSaved={save.isSuccess} onDiscard={() => setTexts(before)} />
      {isReviewing && (
        <ReviewChanges
          mine={mine}
          theirs={theirs}
          texts={mine.some(({ name }) => isRetention(name)) ? texts : null}
          error={isConflict(save.error) ? null : save.error}
          isPending={save.isPending}
          onSave={() => save.mutate()}
          onClose={() => {
            save.reset()
            setIsReviewing(false)
          }}
        />
      )}
    </form>
  )
}

const isRetention = (name: string): boolean => RETENTION_NAMES.some((it) => it === name)

interface GroupProps {
  group: (typeof SETTING_GROUPS)[number]
  texts: SettingTexts
  defaults: SettingTexts
  onChange: (name: SettingName, text: string) => void
}

function SettingGroup({ group: { name: group, settings }, texts, defaults, onChange }: GroupProps) {
  const t = textsOf('admin.settings.groups')
  const id = `settings-${group}`
  return (
    <section className="card card-pad stack" aria-labelledby={id}>
      <div>
        <h2 id={id}>{t(`${group}.title`)}</h2>
        <p className="dimmed settings-help">{t(`${group}.help`)}</p>
      </div>
      {settings.map((name) => (
        <SettingInput
          key={name}
          name={name}
          text={texts[name]}
          defaultText={defaults[name]}
          onChange={(text) => onChange(name, text)}
        />
      ))}
      {group === 'retention' && <Retention texts={texts} />}
    </section>
  )
}

function ChangeBar({ count, isSaved, onDiscard }: { count: number; isSaved: boolean; onDiscard: () => void }) {
  const t = textsOf('admin.settings')
  return (
    <section
      className={count === 0 ? 'settings-bar row' : 'settings-bar settings-bar-sticky row'}
      aria-label={t('changes')}
    >
      <span role="status">{isSaved && count === 0 ? t('saved') : t('changed', { count })}</span>
      <Button variant="default" disabled={count === 0} onClick={onDiscard}>
        {t('discard')}
      </Button>
      <Button type="submit" disabled={count === 0}>
        {t('review')}
      </Button>
    </section>
  )
}
