// Asks the server of a provider for its models, and offers them.
import { Alert, Button, Checkbox, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { discoverLlmModels } from '../../../../src/client/operations.ts'
import type { LLMServerModel } from '../../../../src/client/schemas.ts'
import { api, errorMessage } from '../../api.ts'
import { Icon } from '../../parts/icon.tsx'
import { textsOf } from '../../text/texts.ts'
import { connectionOf, type FieldsProps, namedModels, newModel } from './provider-values.ts'

export function FindModels({ values, set, providerId }: FieldsProps & { providerId: number | null }) {
  const t = textsOf('admin.models.find')
  const find = useMutation({ mutationFn: () => discoverLlmModels(api, { body: connectionOf(values, providerId) }) })
  return (
    <>
      <div>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="search" size={14} />}
          loading={find.isPending}
          onClick={() => find.mutate()}
        >
          {t('find')}
        </Button>
      </div>
      <div className="models-live" aria-live="polite">
        {find.isError && (
          <Alert variant="light" color="yellow" icon={<Icon name="alert" />} title={t('fails')}>
            <p className="models-line" dir="auto">
              {errorMessage(find.error)}
            </p>
            <p className="models-line">{t('type_them')}</p>
          </Alert>
        )}
        {find.data?.length === 0 && <p className="dimmed">{t('none')}</p>}
        {find.data !== undefined && find.data.length > 0 && <FoundModels found={find.data} values={values} set={set} />}
      </div>
    </>
  )
}

/** From this number on, a field filters the list. */
const MANY = 8
const MAX_SHOWN = 100

function FoundModels({ found, values, set }: FieldsProps & { found: readonly LLMServerModel[] }) {
  const t = textsOf('admin.models.find')
  const [typed, setTyped] = useState('')
  const part = typed.trim().toLowerCase()
  const shown = found.filter((it) => it.name.toLowerCase().includes(part))
  const models = namedModels(values)
  const toggle = ({ name, max_input_tokens }: LLMServerModel, isChosen: boolean) => {
    const others = models.filter((it) => it.name !== name)
    const left = isChosen ? [...others, newModel(name, max_input_tokens)] : others
    set({ models: left.length === 0 ? [newModel()] : left })
  }
  return (
    <fieldset className="models-found">
      <legend>{t('found', { count: found.length })}</legend>
      {found.length > MANY && (
        <TextInput
          type="search"
          aria-label={t('filter')}
          placeholder={t('filter')}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          maxLength={500}
        />
      )}
      <div className="models-found-list">
        {shown.slice(0, MAX_SHOWN).map((it) => (
          <Checkbox
            key={it.name}
            label={<bdi>{it.name}</bdi>}
            checked={models.some(({ name }) => name === it.name)}
            onChange={(event) => toggle(it, event.currentTarget.checked)}
          />
        ))}
        {shown.length === 0 && <p className="dimmed small">{t('no_match')}</p>}
        {shown.length > MAX_SHOWN && <p className="dimmed small">{t('more', { count: shown.length - MAX_SHOWN })}</p>}
      </div>
    </fieldset>
  )
}
