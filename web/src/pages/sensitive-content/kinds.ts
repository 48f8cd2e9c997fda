// The kinds of sensitive content, with their names.
import type { SensitiveFinding } from '../../../../src/client/schemas.ts'
import type en from '../../text/en.json'
import { textsOf } from '../../text/texts.ts'

export type SensitiveKind = SensitiveFinding['kind']
type NamedKind = keyof typeof en.admin.sensitive_content.kinds

/** A newer service may know kinds that this page has no words for. */
export function kindText(kind: string): string {
  const t = textsOf('admin.sensitive_content')
  return isNamed(textsOf('admin.sensitive_content.kinds'), kind) ? t(`kinds.${kind}`) : kind
}
const isNamed = (texts: { has(key: string): boolean }, kind: string): kind is NamedKind => texts.has(kind)

export const SENSITIVE_KINDS: readonly SensitiveKind[] = [
  ...(['private_key', 'aws_key', 'github_token', 'gitlab_token', 'slack_token', 'stripe_key'] as const),
  ...(['google_api_key', 'npm_token', 'pypi_token', 'jwt', 'url_password', 'assigned_secret'] as const),
  ...(['payment_card', 'iban', 'german_tax_id', 'us_ssn', 'email_list', 'phone_list'] as const),
]
