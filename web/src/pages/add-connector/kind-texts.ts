// The words of a kind of source and of its fields. Kinds without texts of their own use those of the service.
import type { ConnectorSource } from '../../../../src/client/schemas.ts'
import type { FieldTexts } from '../../parts/schema-form/schema-form.tsx'
import { type Texts, textsOf } from '../../text/texts.ts'

type Key = Parameters<Texts<'admin.connector_kinds'>['has']>[0]

export const kindTitle = ({ source, label }: Kind): string => textOf(`${source}.kind.label`) ?? label
export const kindHelp = ({ source, description }: Kind): string => textOf(`${source}.kind.help`) ?? description
type Kind = Pick<ConnectorSource, 'source' | 'label' | 'description'>

export const fieldTexts = (source: string): FieldTexts => ({
  label: (name) => textOf(`${source}.${name}.label`),
  help: (name) => textOf(`${source}.${name}.help`),
  choice: (name, value) => textOf(`${source}.${name}.${value}`),
})

function textOf(key: string): string | null {
  const t = textsOf('admin')
  return isKey(textsOf('admin.connector_kinds'), key) ? t(`connector_kinds.${key}`) : null
}

const isKey = (texts: { has(key: string): boolean }, key: string): key is Key => texts.has(key)
