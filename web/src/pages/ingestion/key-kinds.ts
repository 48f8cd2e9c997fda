// The permissions that the page offers for a key, by role and scopes.
import type { ApiKeyArgs, ApiKeyDescriptor } from '../../../../src/client/schemas.ts'
import { listText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { roleLabel } from '../people/roles.ts'

export const KINDS = {
  push: { role: 'limited', scopes: ['ingest'] },
  both: { role: 'limited', scopes: ['ingest', 'search'] },
  search: { role: 'basic', scopes: null },
  curator: { role: 'curator', scopes: null },
  admin: { role: 'admin', scopes: null },
} satisfies Record<string, ApiKeyArgs>
const KIND_NAMES = ['push', 'both', 'search', 'curator', 'admin'] as const
export type KeyKind = (typeof KIND_NAMES)[number]

export const kindChoices = () =>
  KIND_NAMES.map((value) => ({ value, label: textsOf('admin.ingestion.keys')(`kinds.${value}`) }))

/** Undefined for a key with other permissions. */
export const kindOf = ({ api_key_role, scopes }: ApiKeyDescriptor): KeyKind | undefined =>
  KIND_NAMES.find((kind) => KINDS[kind].role === api_key_role && sameScopes(KINDS[kind].scopes, scopes))

const sameScopes = (a: readonly string[] | null, b: readonly string[] | null): boolean =>
  a === null || b === null ? a === b : a.length === b.length && a.every((it) => b.includes(it))

export function permissionsText({ api_key_role: role, scopes }: ApiKeyDescriptor): string {
  const t = textsOf('admin.ingestion.keys')
  return scopes === null
    ? t('all_permissions', { role: roleLabel(role) })
    : listText(scopes.map((it) => t(`scopes.${it}`)))
}

/** The longest texts that the API takes. */
export const MAX_NAME = 1_000
export const MAX_EMAIL = 500

export const keyName = ({ api_key_name, api_key_id }: ApiKeyDescriptor): string =>
  api_key_name ?? textsOf('parts')('key_without_name', { id: String(api_key_id) })
