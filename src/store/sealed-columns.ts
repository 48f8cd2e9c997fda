// Which columns hold secrets. A place that is not made of one of these does not compile, so none is left out of a rotation.

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
] as const

export type SealedColumn = (typeof SEALED_COLUMNS)[number]

/** Table, row and column: what is sealed at one place cannot be opened at another. */
export type Place<C extends SealedColumn = SealedColumn> = C extends SealedColumn
  ? `${C['table']}/${number}/${C['column']}`
  : never

/** The cast because a union of templates is more than the compiler infers from their parts. */
export const placeIn = ({ table, column }: SealedColumn, id: number): Place => `${table}/${id}/${column}` as Place
