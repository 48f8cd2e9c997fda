// The columns that hold secrets. Any other secret location is a type error, so a key rotation misses none.

export const SEALED_COLUMNS = [
  { table: 'credential', column: 'credential_json' },
  { table: 'tool', column: 'custom_headers' },
  { table: 'mcp_server', column: 'admin_credentials' },
  { table: 'mcp_user_credential', column: 'credentials' },
  { table: 'mcp_oauth_flow', column: 'flow' },
  { table: 'webhook', column: 'secret' },
  { table: 'oauth_config', column: 'client_secret' },
  { table: 'oauth_token', column: 'token' },
  { table: 'oauth_state', column: 'verifier' },
  { table: 'tool_failure', column: 'arguments' },
  { table: 'llm_provider', column: 'secrets' },
  { table: 'transcription_model', column: 'api_key' },
  { table: 'person_totp', column: 'secret' },
  { table: 'sign_in_provider', column: 'secrets' },
  { table: 'sign_in_state', column: 'details' },
  { table: 'provider_session', column: 'id_token' },
] as const

export type SealedColumn = (typeof SEALED_COLUMNS)[number]

/** Table, row and column. A secret sealed for one location cannot be opened at another. */
export type SecretLocation<C extends SealedColumn = SealedColumn> = C extends SealedColumn
  ? `${C['table']}/${number}/${C['column']}`
  : never

/** The compiler does not infer the union of templates, hence the cast. */
export const secretLocation = ({ table, column }: SealedColumn, id: number): SecretLocation =>
  `${table}/${id}/${column}` as SecretLocation
