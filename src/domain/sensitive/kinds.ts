// The kinds of sensitive content that are looked for.

export const SECRET_KINDS = [
  'private_key',
  'aws_key',
  'github_token',
  'gitlab_token',
  'slack_token',
  'stripe_key',
  'google_api_key',
  'npm_token',
  'pypi_token',
  'jwt',
  'url_password',
  'assigned_secret',
] as const
export type SecretKind = (typeof SECRET_KINDS)[number]

export const PERSONAL_KINDS = ['payment_card', 'iban', 'german_tax_id', 'us_ssn', 'email_list', 'phone_list'] as const
export type PersonalKind = (typeof PERSONAL_KINDS)[number]

export const SENSITIVE_KINDS = [...SECRET_KINDS, ...PERSONAL_KINDS] as const
export type SensitiveKind = SecretKind | PersonalKind

const SECRETS: ReadonlySet<SensitiveKind> = new Set(SECRET_KINDS)
export const isSecretKind = (kind: SensitiveKind): boolean => SECRETS.has(kind)

/** A place in a text, in UTF-16 units. */
export interface SensitiveSpan {
  kind: SensitiveKind
  start: number
  end: number
}

/** Where in a document: never the content itself. */
export interface FindingPlace {
  /** From 1; 0 is the title and the metadata. */
  section: number
  /** Its heading, in which findings are masked. */
  heading: string | null
  page: number | null
  count: number
}

export interface SensitiveFinding {
  kind: SensitiveKind
  count: number
  /** The first ones. */
  places: FindingPlace[]
}
