// The values of the form of a tool, what the API takes, and how two versions differ.
import type { CustomToolCreate, CustomToolUpdate, Header, ToolSnapshot } from '../../../../src/client/schemas.ts'
import type { DifferenceRow } from '../../parts/difference-table.tsx'
import { textsOf } from '../../text/texts.ts'
import { operationsOf, parseDefinition, serverOf, textOfDefinition } from './tool-definition.ts'

export interface HeaderValue {
  key: string
  /** Empty: the stored value stays. */
  value: string
  /** The mask of the stored value. Null for a new header. */
  mask: string | null
}

export interface ToolValues {
  name: string
  description: string
  /** JSON. */
  definition: string
  headers: readonly HeaderValue[]
  passthrough: boolean
  /** Empty: none. */
  oauthConfig: string
  isPublic: boolean
  isConfirmed: boolean
}

export const NEW_TOOL: ToolValues = {
  name: '',
  description: '',
  definition: '',
  headers: [],
  passthrough: false,
  oauthConfig: '',
  isPublic: true,
  isConfirmed: true,
}

export const valuesOfTool = (tool: ToolSnapshot): ToolValues => ({
  name: tool.name,
  description: tool.description,
  definition: textOfDefinition(tool.definition),
  headers: headersOf(tool).map(({ key, value }) => ({ key, value: '', mask: value })),
  passthrough: tool.passthrough_auth,
  oauthConfig: String(tool.oauth_config_id ?? ''),
  isPublic: tool.is_public ?? false,
  isConfirmed: tool.requires_confirmation ?? true,
})

/** The values are masked. */
export const headersOf = ({ custom_headers }: ToolSnapshot): Header[] =>
  (custom_headers ?? []).flatMap((it) =>
    typeof it === 'object' && it !== null && 'key' in it && 'value' in it
      ? [{ key: String(it.key), value: String(it.value) }]
      : [],
  )

export const toNewTool = (values: ToolValues): CustomToolCreate => ({
  name: values.name.trim(),
  description: values.description,
  definition: parseDefinition(values.definition) ?? {},
  custom_headers: sentHeaders(values),
  passthrough_auth: values.passthrough,
  oauth_config_id: configId(values),
  is_public: values.isPublic,
  requires_confirmation: values.isConfirmed,
})

/** Sends only what differs. */
export const toToolChange = (before: ToolValues, after: ToolValues): CustomToolUpdate => ({
  ...(before.name !== after.name && { name: after.name.trim() }),
  ...(before.description !== after.description && { description: after.description }),
  ...(isOtherDefinition(before, after) && { definition: parseDefinition(after.definition) ?? {} }),
  ...(!isSame(sentHeaders(before), sentHeaders(after)) && { custom_headers: sentHeaders(after) }),
  ...(before.passthrough !== after.passthrough && { passthrough_auth: after.passthrough }),
  ...(before.oauthConfig !== after.oauthConfig && { oauth_config_id: configId(after) }),
  ...(before.isPublic !== after.isPublic && { is_public: after.isPublic }),
  ...(before.isConfirmed !== after.isConfirmed && { requires_confirmation: after.isConfirmed }),
})

/** Whether the definitions differ in more than their layout. */
export const isOtherDefinition = (before: ToolValues, after: ToolValues): boolean =>
  !isSame(parseDefinition(before.definition), parseDefinition(after.definition))

/** A mask that is sent back keeps the stored value. */
const sentHeaders = ({ headers }: ToolValues): Header[] =>
  headers
    .filter((it) => it.key.trim() !== '')
    .map(({ key, value, mask }) => ({ key: key.trim(), value: value === '' ? (mask ?? '') : value }))

const configId = ({ oauthConfig }: ToolValues): number | null => (oauthConfig === '' ? null : Number(oauthConfig))

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Puts in words how two versions differ beside their definitions. `configName` names an OAuth configuration. */
export function differencesOf(
  before: ToolValues,
  after: ToolValues,
  configName: (id: string) => string,
): DifferenceRow[] {
  const t = textsOf('admin.tools')
  const yes = (it: boolean) => (it ? t('yes') : t('no'))
  const rows: [field: string, read: (it: ToolValues) => string][] = [
    [textsOf('parts')('name'), (it) => it.name],
    [t('form.description'), (it) => it.description],
    [t('form.headers'), headerText],
    [t('form.oauth_config'), (it) => (it.oauthConfig === '' ? '' : configName(it.oauthConfig))],
    [t('form.passthrough'), (it) => yes(it.passthrough)],
    [t('form.public'), (it) => yes(it.isPublic)],
    [t('form.confirmed'), (it) => yes(it.isConfirmed)],
  ]
  return rows
    .map(([label, read]) => ({ name: label, label, before: read(before), after: read(after) }))
    .filter((it) => it.before !== it.after)
}

/** How two definitions differ, by their servers and operations. */
export function definitionDifference(before: ToolValues, after: ToolValues): DifferenceRow[] {
  if (!isOtherDefinition(before, after)) return []
  const t = textsOf('admin.tools')
  const label = t('form.definition')
  const [now, then] = [definitionText(before), definitionText(after)]
  return [{ name: label, label, before: now, after: now === then ? t('other_version', { definition: then }) : then }]
}

function definitionText({ definition: text }: ToolValues): string {
  const definition = parseDefinition(text)
  return [serverOf(definition) ?? '', ...operationsOf(definition)].join('\n')
}

/** A new value is not shown: it is a secret. */
const headerText = ({ headers }: ToolValues): string =>
  headers
    .filter((it) => it.key.trim() !== '')
    .map(({ key, value, mask }) =>
      value === '' && mask !== null ? `${key}: ${mask}` : textsOf('admin.tools')('new_value', { key }),
    )
    .join('\n')
