// All errors visible to clients: code, HTTP status, and a message that says how to resolve it.

const changed = (thing: string) =>
  [
    409,
    `${thing} was changed after you read it. Read it again, compare, and send its new "version" as "expected_version".`,
  ] as const

const table = {
  INVALID_INPUT: [400, '{reason}'],
  UNAUTHENTICATED: [401, 'Missing or invalid key. Send the header "Authorization: Bearer <API_KEY>".'],
  INSUFFICIENT_PERMISSIONS: [403, 'This key lacks the right "{right}".'],
  TOKEN_REFUSED: [
    403,
    'A personal access token cannot do this, because the effect can outlive the token. Use an administrator API key.',
  ],
  CREDENTIAL_ORIGIN_REFUSED: [
    403,
    'Credential {id} may not be sent to {origins}. Its owner or an administrator can allow this: PUT /manage/credential/{id}/allowed-origins.',
  ],
  CREDENTIAL_NOT_YOURS: [
    403,
    'Credential {id} controls who may read the documents of this pair. Only its owner or an administrator can replace it.',
  ],
  HEADER_SIGN_IN_REFUSED: [
    403,
    'The account that the proxy names may not use this service. An administrator can invite or activate it.',
  ],
  CSRF_FAILURE: [
    403,
    'Cross-site request blocked. A browser must send the header "X-Requested-With" from a page of this service; behind a reverse proxy, set PUBLIC_URL.',
  ],
  ORIGIN_REFUSED: [403, 'Requests from pages of {origin} are not allowed. Programs must not send the header "Origin".'],
  DOCUMENT_NOT_WRITABLE: [
    403,
    'This key may not write to that document: it neither pushed it nor may read it, or the document also belongs to a connector that the key may not use. Use another id, or a key that manages connectors.',
  ],
  VIEW_AS_DISABLED: [
    403,
    'Searching as another person is switched off. An administrator can allow it: PATCH /admin/settings with "view_as_enabled": true.',
  ],
  DOCUMENT_TEXT_CLOSED: [
    403,
    'You may not read this document. An administrator may read its text while it is allowed to see what others see: PATCH /admin/settings with "view_as_enabled": true.',
  ],
  NOT_DOCUMENT_OWNER: [403, 'Only owners and those who manage the connector may verify a document. Ask one.'],
  NOT_OWNER: [403, 'You can only modify actions that you created.'],
  TOOL_HELD_OFF: [
    403,
    'An administrator switched tool {id} off. An administrator can switch it on: PATCH /admin/tool/status.',
  ],
  NOT_CURATED: [
    403,
    'A curator manages what is private and belongs only to groups that they curate. Set "access_type" to "private" (for a document set or persona, "is_public" to false), and name groups that you curate in "groups".',
  ],
  NOT_PERSONA_OWNER: [
    403,
    'Only its creator, an administrator, and a curator of all of its groups can change a persona.',
  ],
  EGRESS_APPROVALS_OFF: [
    403,
    'The operator has disabled approvals. To allow {host}, start the service with EGRESS_APPROVALS=on, or list it in EGRESS_ALLOW.',
  ],
  SCIM_TOKEN_REFUSED: [403, 'The token of the directory opens /scim/v2 and nothing else. Use an API key.'],
  SCIM_REMOVAL_HELD: [
    403,
    'More than a fifth of all people would be removed within a day. An administrator must approve the removal on the page /admin/scim.',
  ],
  SCIM_REMOVAL_DISCARDED: [
    403,
    'An administrator discarded this removal. The directory may ask again a day after that.',
  ],
  SCIM_ADMIN_PROTECTED: [403, '{reason}'],
  SCIM_FILTER_FORBIDDEN: [403, 'This list takes no filter. Leave it out.'],
  SCIM_NOT_FOUND: [404, 'The directory manages no {kind} with this id.'],
  SCIM_UNIQUENESS: [409, '{reason}'],
  SCIM_INVALID_FILTER: [400, 'The filter cannot be used: {reason}'],
  SCIM_INVALID_PATH: [400, 'The path cannot be used: {reason}'],
  SCIM_INVALID_SYNTAX: [400, 'The request cannot be read: {reason}'],
  SCIM_INVALID_VALUE: [400, '{reason}'],
  SCIM_MUTABILITY: [400, '"{path}" cannot be changed.'],
  SCIM_NO_TARGET: [400, 'The filter of the path "{path}" matches no value.'],
  SCIM_NO_TOKEN: [404, 'There is no SCIM token. Create one with POST /admin/enterprise-settings/scim/token.'],
  HELD_REMOVAL_NOT_FOUND: [404, 'No removal with this id waits for a decision.'],
  NOT_FOUND: [404, 'Not Found{what}'],
  METHOD_NOT_ALLOWED: [405, 'Method Not Allowed'],
  CONNECTOR_WITHOUT_PAIR: [404, 'No Connector-Credential Pair found for this connector.'],
  CONNECTOR_NOT_FOUND: [404, 'Connector {id} does not exist.'],
  CREDENTIAL_NOT_FOUND: [404, 'Credential {id} does not exist.'],
  CC_PAIR_NOT_FOUND: [404, 'Connector-Credential Pair specified does not exist: {id}.'],
  INDEX_ATTEMPT_NOT_FOUND: [404, 'The connector has no index attempt {id}. Old attempts are deleted.'],
  DOCUMENT_NOT_FOUND: [404, 'Document not found: it was never accepted, or it was deleted.'],
  FINDING_NOT_FOUND: [404, 'The document has no such finding: its text may have changed. Load the list again.'],
  TOOL_NOT_FOUND: [404, 'Tool by specified id does not exist.'],
  TOOLS_NOT_FOUND: [404, 'Tools with IDs {ids} not found.'],
  MCP_SERVER_NOT_FOUND: [404, 'MCP server not found.'],
  MCP_SERVER_REFUSES: [
    424,
    'The MCP server rejected the credentials. {reason} Replace them, or sign in with POST /mcp/oauth/connect if it uses OAuth.',
  ],
  MCP_SERVER_FAILED: [424, 'The MCP server cannot be used: {reason}'],
  MCP_SIGN_IN_FAILED: [400, 'Sign-in to the MCP server failed: {reason}'],
  LIMIT_NOT_FOUND: [404, 'Limit {id} does not exist.'],
  API_KEY_NOT_FOUND: [404, 'API key with id {id} does not exist.'],
  KEY_ROLE_TOO_HIGH: [
    409,
    'The person has the role "{of_person}": a key that acts for them cannot have the role "{role}". Give the key a lower role.',
  ],
  LOGIN_BAD_CREDENTIALS: [400, 'The e-mail address or the password is wrong.'],
  SECOND_FACTOR_REQUIRED: [
    400,
    'This account has a second factor. Send the code of the authenticator app, or a recovery code, as "otp".',
  ],
  SECOND_FACTOR_WRONG: [400, 'The code is wrong, was used before, or has expired. Enter the next code of the app.'],
  SECOND_FACTOR_ON: [409, 'The second factor is switched on already. To use another app, switch it off first.'],
  SECOND_FACTOR_OFF: [409, 'The second factor is switched off. Start with POST /auth/second-factor.'],
  SIGN_IN_NEEDED: [409, 'Only a person who has signed in can do this, not a key or a token.'],
  SIGN_IN_AGAIN: [403, 'You signed in more than {minutes} minutes ago. Send your password, or sign in again.'],
  PASSKEY_REFUSED: [400, 'This passkey was not accepted. Sign in another way, or try again.'],
  PASSKEY_NOT_FOUND: [404, 'Passkey {id} does not exist.'],
  TOO_MANY_PASSKEYS: [409, 'You have {limit} passkeys, which is the maximum. Delete one first.'],
  PASSKEYS_UNAVAILABLE: [
    409,
    'Passkeys need an address with a name over HTTPS, or http://localhost. Open the service there; behind a proxy, set PUBLIC_URL or TRUSTED_PROXIES.',
  ],
  PASSWORD_UNFIT: [400, '{reason}'],
  LINK_INVALID: [400, 'This link was used, replaced or has expired. Ask an administrator for a new one.'],
  REGISTRATION_DISABLED: [
    403,
    'An account needs a link: ask an administrator for an invitation, or, if your e-mail domain is open, let POST /auth/registration-link mail you one.',
  ],
  MAIL_NOT_CONFIGURED: [
    409,
    'No mail server is set up, and people of an opened domain get their link by mail. The operator can set SMTP_URL, MAIL_FROM and PUBLIC_URL.',
  ],
  SIGN_IN_REFUSED: [403, '{reason}'],
  SIGN_IN_PROVIDER_FAILED: [424, 'The sign-in provider cannot be used: {reason}'],
  SIGN_IN_PROVIDER_DOWN: [
    424,
    'The provider {name} cannot be reached at this moment. Sign in another way, or try again later; the log of the service has the reason.',
  ],
  SIGN_IN_PROVIDER_UNKNOWN: [404, 'No provider with this name is switched on. GET /auth/providers lists them.'],
  PROVIDER_HAS_PEOPLE: [
    409,
    'People are linked to accounts that the provider would no longer have: {count}. To forget these links and end their sessions, send "forget_accounts": true.',
  ],
  LOGOUT_TOKEN_INVALID: [400, 'The logout token is not valid: {reason}'],
  PROVIDER_NOT_FOUND: [404, 'Sign-in provider {id} does not exist.'],
  BROWSER_SESSION_NOT_FOUND: [404, 'This session does not exist or has ended.'],
  NO_PERSON: [409, 'The caller is a key that acts for nobody and has no password. Sign in as a person.'],
  PERSON_EXISTS: [409, 'A person with this e-mail address exists.'],
  PERSON_SUSPENDED: [409, 'This person is suspended and finds nothing. Activate the person before you search as them.'],
  PERSON_CANNOT_SEARCH: [
    409,
    'The role of this person does not include searches, so the person finds nothing. Change the role before you search as them.',
  ],
  PERSON_NOT_FOUND: [404, 'Nobody has this e-mail address. GET /manage/users/accepted lists people.'],
  PERSON_ID_NOT_FOUND: [404, 'Nobody has the id "{id}". GET /manage/users/accepted lists people.'],
  LAST_ADMIN: [409, 'This person is the last active administrator. Make another person an administrator first.'],
  GROUP_MANAGED_ELSEWHERE: [
    409,
    'The group {name} comes from {origin}: only there its name and members can be changed.',
  ],
  USER_GROUP_NOT_FOUND: [404, 'User group with id {id} does not exist.'],
  DEFAULT_GROUP: [
    409,
    'The group {name} follows from the role of people. Change the role of the people, or choose another name.',
  ],
  PAT_NOT_FOUND: [404, 'Token not found or not owned by user.'],
  PERSONA_NOT_FOUND: [404, 'Persona with id {id} does not exist.'],
  TOOL_FAILURE_NOT_FOUND: [404, 'Failed call {id} of this tool does not exist.'],
  SESSION_NOT_FOUND: [404, 'Chat session not found.'],
  SESSION_BUSY: [
    409,
    'An answer is running in this session. Wait until it ends, or stop it with POST /chat/stop-chat-session/{id}.',
  ],
  MESSAGE_NOT_FOUND: [404, 'Chat message not found.'],
  NOTHING_ANSWERED: [
    404,
    'No answer is running in this session. GET /chat/get-chat-session/{id} returns its messages.',
  ],
  CONFIRMATION_NOT_FOUND: [
    404,
    'No tool is waiting for this confirmation: it was already decided, or the answer has ended.',
  ],
  OAUTH_CONFIG_NOT_FOUND: [404, 'OAuth config with id {id} not found.'],
  FILE_NOT_FOUND: [404, 'File not found.'],
  ORIGINAL_NOT_FOUND: [404, 'Pharos does not hold the file of this document. Its link leads to its source.'],
  RANGE_NOT_SATISFIABLE: [416, 'The range begins behind the end of the file, which has {size} bytes.'],
  PROJECT_NOT_FOUND: [404, 'Project not found.'],
  INPUT_PROMPT_NOT_FOUND: [404, 'Saved prompt {id} does not exist.'],
  TOO_MANY_INPUT_PROMPTS: [409, 'You already have {count} saved prompts. Delete one, or change one.'],
  DOCUMENT_SET_NOT_FOUND: [404, 'Document set {id} does not exist.'],
  EGRESS_APPROVAL_NOT_FOUND: [404, 'Approval {id} does not exist.'],
  EGRESS_APPROVAL_EXISTS: [409, 'Approval {id} already allows {host}. To change its reason, delete it first.'],
  SECRET_KEY_NOT_FOUND: [404, 'Secret key {kid} does not exist.'],
  SECRET_KEY_IN_USE: [409, 'Secret key {kid} cannot be removed: {reason}.'],
  SECRET_KEY_ROTATING: [409, 'Secrets are being re-encrypted with a new key. Try again when is_rotating is false.'],
  SECRET_KEY_FROM_ENVIRONMENT: [409, 'This secret key comes from the environment: {reason}.'],
  SEARCH_NOT_FOUND: [
    404,
    'No recorded search of this key has that search_id and returned that document; it may have expired. Send the search_id of the response that contains the document.',
  ],
  JUDGEMENT_NOT_FOUND: [404, 'Judgement {id} does not exist.'],
  ALERT_NOT_FOUND: [404, 'Alert {id} does not exist, or it is about something that you do not manage.'],
  BACKUP_NOT_FOUND: [404, 'Backup {id} does not exist.'],
  BACKUP_RUNNING: [409, 'A backup is being made. Wait until it is done.'],
  TOO_MANY_BACKUPS: [409, 'There are already {count} backups. Download and delete one.'],
  BACKUP_NO_ROOM: [
    409,
    'The disk has {free} MB left, and {needed} MB are needed for a backup and the reserved space. Free some space, or make the backup with "pharos backup" on another disk.',
  ],
  BACKUP_TICKET_INVALID: [
    403,
    'This download was not confirmed, or it was confirmed more than a minute ago. Start it again.',
  ],
  WEBHOOK_NOT_FOUND: [404, 'Webhook {id} does not exist.'],
  TOO_MANY_WEBHOOKS: [409, 'There are already {count} webhooks. Delete one, or use one for several connectors.'],
  DUPLICATE_RESOURCE: [409, '{kind} named "{name}" already exists. Choose another name, or change the existing one.'],
  CONFLICT: [409, 'Connector {connector} already has credential {credential}.'],
  CONNECTOR_CHANGED: changed('Connector {id}'),
  PERSONA_CHANGED: changed('Persona {id}'),
  DOCUMENT_SET_CHANGED: changed('Document set {id}'),
  RANKING_CHANGED: [
    409,
    'The ranking settings were changed after you read them. Read them again, compare, and send their new "version" as "expected_version".',
  ],
  SETTINGS_CHANGED: [
    409,
    'The settings were changed after you read them. Read them again, compare, and send the new "settings_version" as "expected_version".',
  ],
  LLM_PROVIDER_CHANGED: changed('LLM provider {id}'),
  TOOL_CHANGED: changed('Tool {id}'),
  MCP_SERVER_CHANGED: changed('MCP server {id}'),
  API_KEY_CHANGED: changed('API key {id}'),
  USER_GROUP_CHANGED: changed('User group {id}'),
  CREDENTIAL_CHANGED: [
    409,
    'Credential {id} has been changed since you opened it. Load it again, then repeat your change.',
  ],
  CC_PAIR_DELETING: [
    409,
    'Connector-Credential Pair {id} is being deleted and cannot be changed. Create a new one in a moment.',
  ],
  NOTHING_PULLS: [400, 'Connector-Credential Pair {id} has no connector runs: its documents are pushed.'],
  NOT_RUNNABLE: [400, 'The run cannot be started: {reason}.'],
  ACCESS_SYNC_UNDERWAY: [409, 'Permissions of this pair are already being synced.'],
  QUERY_HISTORY_DISABLED: [
    403,
    'Query history has been disabled: the setting `query_history_type` is "disabled". To read chats of others, set it to "anonymized" with PATCH /admin/settings.',
  ],
  NOT_IMPLEMENTED: [501, '{reason}'],
  PRUNE_UNDERWAY: [409, 'Pruning task already in progress.'],
  PRUNE_NOT_HELD: [409, 'No pruning of this pair awaits confirmation. GET …/prune shows its state.'],
  CONNECTOR_BUILT_IN: [400, 'The built-in connector "Ingestion API" and its pair cannot be changed.'],
  CONNECTOR_NOT_DELETABLE: [
    400,
    'Connector is not deletable: {count} connector-credential pairs use it. Delete them first with POST /manage/admin/deletion-attempt.',
  ],
  CREDENTIAL_BUILT_IN: [400, 'The built-in credential 0, for connectors that need none, cannot be changed.'],
  CREDENTIAL_IN_USE: [
    400,
    'Cannot delete credential as it is still associated with {pairs} connector(s) and {documents} document(s).',
  ],
  VALIDATION_ERROR: [400, '{reason}'],
  BUILT_IN_TOOL: [400, 'Built-in tools cannot be modified through this endpoint.'],
  TOOL_NEEDS_CONSENT: [
    400,
    'This tool uses your account at "{name}", which is not connected. Connect it: POST /oauth-config/initiate {"oauth_config_id": {id}}.',
  ],
  TOOL_PROVIDER_FAILED: [424, 'Your token for this tool could not be renewed. {reason}'],
  TOOL_IN_USE: [400, 'This tool is used by agents: {names}. Remove it from them first.'],
  PASSTHROUGH_NOT_GRANTED: [
    403,
    'The service "{name}" would receive a token that acts for you, and no administrator has allowed that. An administrator can allow it with POST {path}.',
  ],
  PASSTHROUGH_NEEDS_CONSENT: [
    400,
    'You have not agreed that "{name}" receives a token that lasts five minutes and can search as you. Give your consent in a chat, or with PUT /user/passthrough-consent {"{field}": {id}}.',
  ],
  CONSENT_NOT_FOUND: [404, 'This consent does not exist.'],
  INVALID_DEFINITION: [400, '{reason}'],
  PASSTHROUGH_CONFLICT: [400, 'Cannot use passthrough auth with custom authorization headers.'],
  CONNECTOR_NAME_TAKEN: [400, 'Connector by this name already exists, duplicate naming not allowed.'],
  NOT_A_FILE_CONNECTOR: [400, 'This connector does not accept files: its source is {source}, not file.'],
  NOT_IN_TRASH: [
    404,
    'The document is not in the trash: it was never deleted, was restored, or its retention has ended. GET /service-api/trash lists the trash.',
  ],
  RESTORE_NEEDS_PAIR: [
    409,
    'The connector of this document was deleted, is unknown, or may not be used by this key. Set cc_pair_id to another one: it controls who may read the document.',
  ],
  NOT_INGESTED: [400, 'Document was not created via the ingestion API, so it cannot be deleted there.'],
  REINDEX_UNDERWAY: [
    409,
    'A reindex is already running. GET /admin/reindex shows its progress; DELETE /admin/reindex cancels it.',
  ],
  INDEX_FILLING: [
    409,
    'The index lost its data and is being rebuilt ({done} of {total}). Try again when it is complete.',
  ],
  REINDEX_NOT_FOUND: [404, 'No reindex is running.'],
  EGRESS_REFUSED: [400, 'The outbound request was refused: {reason}'],
  EGRESS_FAILED: [424, 'The outbound request failed: {reason}'],
  EGRESS_LIMIT: [424, 'The outbound request was aborted: {reason}'],
  PAYLOAD_TOO_LARGE: [413, 'The request body is larger than {limit}.'],
  LINE_TOO_LARGE: [413, 'The line is larger than {limit}. Split the document.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Content type {type} is not accepted: send {expected}.'],
  BAD_REQUEST: [400, 'The request is not valid HTTP (RFC 9112).'],
  TIMED_OUT: [408, 'The request was not received in time.'],
  HEADERS_TOO_LARGE: [431, 'The headers of the request are {limit}.'],
  TOO_MANY_REQUESTS: [429, 'This key has too many waiting requests. Try again after the time in Retry-After.'],
  RATE_LIMITED: [429, '{reason} Try again in {seconds} s.'],
  TOO_MANY_ATTEMPTS: [429, 'Too many attempts to sign in have failed. Try again in {seconds} s.'],
  OVERLOADED: [503, 'The service is overloaded. Try again after the time in Retry-After.'],
  QUEUE_FULL: [503, 'Too many documents are waiting to be indexed. Try again after the time in Retry-After.'],
  STORE_FULL: [503, 'The data disk is full. Free some space; nothing of this request was stored.'],
  DISK_LOW: [
    503,
    'The data disk has {free} MB left, and {bound} MB are reserved. Free some space; searches and deletions still work.',
  ],
  STORE_UNAVAILABLE: [503, 'The database does not respond. Try again after the time in Retry-After.'],
  STORE_READ_ONLY: [
    503,
    'The database is read-only, possibly a standby. Nothing of this request was stored; try again after the time in Retry-After.',
  ],
  OUT_OF_FILES: [
    503,
    'The service has no file descriptors left. Try again after the time in Retry-After; the operator can allow more with "ulimit -n".',
  ],
  SERVICE_UNAVAILABLE: [503, '{reason}'],
  STORE_UNFIT: [503, 'The PostgreSQL server cannot be used as the store: {reason}.'],
  SECRET_KEY_UNFIT: [500, '{path} must contain one key per line, each of at least 20 characters.'],
  SECRET_KEY_MISSING: [
    500,
    'The database contains {count} secrets encrypted with the key {kid}, which is missing. Start with that key as SECRET_KEY_PREVIOUS, or as a line of {path}. If the key is lost, "pharos secrets" lists the affected secrets and can discard them.',
  ],
  PAGES_NOT_BUILT: [
    503,
    'The web pages are not built. Start the service with "npm start", or run "npm run build" and restart it.',
  ],
  SHUTTING_DOWN: [503, 'The service is shutting down. Try again after the time in Retry-After.'],
  INTERNAL_ERROR: [500, 'Internal error. The log of the service has the reason under request id {id}.'],
  SCHEMA_NEWER: [500, 'The database was migrated by a newer version: {reason}. Start that version.'],
  SCHEMA_DIFFERENT: [
    500,
    'The database has {migrations} with a different text than this version. Start the version that last wrote it, make a backup with "pharos backup", and restore the backup with this version.',
  ],
  SCHEMA_UNKNOWN: [
    500,
    'The database records {count} migrations, but its tables are those of {found}. Start the version that last wrote it, make a backup with "pharos backup", and restore the backup with this version.',
  ],
  DATA_IN_USE: [500, '{folder} is in use by {who}. Stop that process, or set another DATA_DIR.'],
  RECORD_MISSING: [500, 'There is no database at {place}. Is DATA_DIR the folder of the service?'],
  RECORD_GONE: [
    500,
    '{place} is missing or empty, but {trace} in DATA_DIR shows that there was a database: put it back; or restore a backup with "pharos restore FILE --replace"; or move the remaining files away with "pharos record --set-aside", so that a new service can start; or create a new database with the remaining keys and files, with "pharos record --accept-loss".',
  ],
  RECORD_EXISTS: [
    500,
    'There is already a database at {place}. --replace sets it aside and restores the backup in its place.',
  ],
  RECORD_IN_USE: [500, 'The database is in use: {reason}. Stop the service first.'],
  RECORD_DAMAGED: [
    503,
    'The database is damaged: {reason}. Stop the service and restore the newest backup: "pharos restore FILE --replace".',
  ],
  BACKUP_EXISTS: [500, '{path} already exists and is not overwritten. Choose another name.'],
  BACKUP_INVALID: [500, 'Not a Pharos backup, or it is damaged: {reason}.'],
  BACKUP_NEWER: [
    500,
    'The backup was made by version {version}, which is newer than this one: {reason}. Restore it with that version.',
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorCode = keyof typeof table
export const errorTable: Record<ErrorCode, readonly [status: number, message: string]> = table

export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** The wait that the error itself knows; null if it depends only on the code, or if there is none. */
  readonly retryAfterSeconds: number | null
  /** Of RATE_LIMITED: the requests or tokens that are used up. */
  readonly rateLimit: number | null

  constructor(code: ErrorCode, facts: Record<string, string | number> = {}, options?: ErrorOptions) {
    const [status, message] = table[code]
    super(
      message.replace(/\{(\w+)\}/g, (_, name: string) => String(facts[name] ?? '')),
      options,
    )
    this.code = code
    this.status = status
    this.retryAfterSeconds = code === 'TOO_MANY_ATTEMPTS' || code === 'RATE_LIMITED' ? Number(facts.seconds) : null
    this.rateLimit = code === 'RATE_LIMITED' ? Number(facts.limit) : null
  }
}
