// The name of a provider, its address and its key. A stored key is never shown again.
import { Checkbox, PasswordInput, TextInput } from '@mantine/core'
import type { LLMProviderView, WellKnownLLMProviderDescriptor } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'
import { kindHelp } from './kind-texts.ts'
import type { FieldsProps } from './provider-values.ts'

interface ConnectionProps extends FieldsProps {
  kind: WellKnownLLMProviderDescriptor | null
  provider: LLMProviderView | null
}

export function ConnectionFields({ values, set, kind, provider }: ConnectionProps) {
  const t = textsOf('admin.models.form')
  const usual = kind?.default_api_base ?? null
  return (
    <>
      {kind !== null && <p className="dimmed small">{kindHelp(kind)}</p>}
      <TextInput
        label={textsOf('parts')('name')}
        description={t('name_help')}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        maxLength={500}
        dir="auto"
        required
        withAsterisk={false}
      />
      <TextInput
        label={t('address')}
        description={usual === null ? t('address_help') : t('address_help_usual', { address: usual })}
        placeholder={usual ?? t('address_example')}
        type="url"
        value={values.api_base}
        onChange={(event) => set({ api_base: event.currentTarget.value })}
        maxLength={2_000}
        required={usual === null}
        withAsterisk={false}
      />
      <KeyField values={values} set={set} kind={kind} provider={provider} />
    </>
  )
}

function KeyField({ values, set, kind, provider }: ConnectionProps) {
  const t = textsOf('admin.models.form')
  const stored = provider?.api_key ?? null
  const isNeeded = kind?.api_key_required === true && stored === null
  return (
    <>
      <PasswordInput
        label={t('key')}
        description={stored === null ? t(isNeeded ? 'key_needed' : 'key_optional') : t('key_stored', { key: stored })}
        value={values.api_key}
        onChange={(event) => set({ api_key: event.currentTarget.value, removesKey: false })}
        maxLength={10_000}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': t('show_key') }}
        required={isNeeded}
        withAsterisk={false}
      />
      {stored !== null && (
        <Checkbox
          label={t('remove_key')}
          checked={values.removesKey}
          disabled={values.api_key !== ''}
          onChange={(event) => set({ removesKey: event.currentTarget.checked })}
        />
      )}
    </>
  )
}
