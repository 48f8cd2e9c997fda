// The fields of a tool. The pages of a new tool and of one that exists put their buttons below.
import { Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { AdminLink } from '../../admin/admin-link.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { oauthConfigsQuery } from '../oauth-configs/oauth-configs-queries.ts'
import { DefinitionField } from './definition-field.tsx'
import { HeaderFields } from './header-fields.tsx'
import { infoOf, parseDefinition } from './tool-definition.ts'
import type { ToolValues } from './tool-values.ts'

interface FieldProps {
  values: ToolValues
  set: (change: Partial<ToolValues>) => void
}

interface FormProps extends FieldProps {
  label: string
  onSubmit: () => void
  /** Errors and buttons. */
  children: ReactNode
}

export function ToolForm({ label, values, set, onSubmit, children }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form className="card card-pad stack tool-form" aria-label={label} onSubmit={submit}>
      <DefinitionField text={values.definition} onChange={(definition) => set(withInfo(values, definition))} />
      <NameFields values={values} set={set} />
      <AuthenticationFields values={values} set={set} />
      <SharingFields values={values} set={set} />
      {children}
    </form>
  )
}

/** A definition names the tool, if the person has not. */
function withInfo({ name, description }: ToolValues, text: string): Partial<ToolValues> {
  const definition = parseDefinition(text)
  if (definition === null) return { definition: text }
  const info = infoOf(definition)
  return {
    definition: text,
    ...(name === '' && { name: info.title.slice(0, MAX_NAME) }),
    ...(description === '' && { description: info.description.slice(0, MAX_DESCRIPTION) }),
  }
}

const MAX_NAME = 200
const MAX_DESCRIPTION = 100_000

function NameFields({ values, set }: FieldProps) {
  const t = textsOf('admin.tools.form')
  return (
    <>
      <TextInput
        label={textsOf('parts')('name')}
        description={t('name_help')}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        maxLength={MAX_NAME}
        autoComplete="off"
        dir="auto"
        required
        withAsterisk={false}
      />
      <Textarea
        label={t('description')}
        description={t('description_help')}
        value={values.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        maxLength={MAX_DESCRIPTION}
        autosize
        minRows={2}
        maxRows={10}
        dir="auto"
      />
    </>
  )
}

function AuthenticationFields({ values, set }: FieldProps) {
  const t = textsOf('admin.tools.form')
  const configs = useQuery(oauthConfigsQuery)
  const choices = configs.data?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []
  return (
    <>
      <HeaderFields headers={values.headers} onChange={(headers) => set({ headers })} />
      {configs.isError && <ErrorAlert error={configs.error} retry={() => void configs.refetch()} />}
      <NativeSelect
        label={t('oauth_config')}
        description={t.rich('oauth_config_help', {
          link: (it) => <AdminLink page="oauth-configs">{it}</AdminLink>,
        })}
        value={values.oauthConfig}
        onChange={(event) => set({ oauthConfig: event.currentTarget.value })}
        data={[{ value: '', label: t('no_oauth_config') }, ...choices]}
      />
      <Checkbox
        label={t('passthrough')}
        description={t('passthrough_help')}
        checked={values.passthrough}
        onChange={(event) => set({ passthrough: event.currentTarget.checked })}
      />
    </>
  )
}

function SharingFields({ values, set }: FieldProps) {
  const t = textsOf('admin.tools.form')
  return (
    <>
      <Checkbox
        label={t('public')}
        description={t('public_help')}
        checked={values.isPublic}
        onChange={(event) => set({ isPublic: event.currentTarget.checked })}
      />
      <Checkbox
        label={t('confirmed')}
        description={t('confirmed_help')}
        checked={values.isConfirmed}
        onChange={(event) => set({ isConfirmed: event.currentTarget.checked })}
      />
    </>
  )
}
