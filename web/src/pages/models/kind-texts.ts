// The names of the kinds of providers, and what each needs.
import type { WellKnownLLMProviderDescriptor } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'

/** Kinds whose names are no names of companies or programs. */
const TRANSLATED = ['openai_compatible', 'azure'] as const

export function kindTitle(kind: Pick<WellKnownLLMProviderDescriptor, 'name' | 'title'>): string {
  const translated = TRANSLATED.find((it) => it === kind.name)
  return translated === undefined ? kind.title : textsOf('admin.models.kinds')(`${translated}.title`)
}

/** Own programs of the company need no key, and have an address on this machine. */
export function kindHelp({ api_key_required, default_api_base }: WellKnownLLMProviderDescriptor): string {
  const t = textsOf('admin.models.kinds')
  if (api_key_required) return default_api_base === null ? t('needs_key_and_address') : t('needs_key')
  return default_api_base === null ? t('needs_address') : t('runs_here', { address: default_api_base })
}
