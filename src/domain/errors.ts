// Every error that somebody outside can meet: its code, its HTTP status, and a sentence that says the way out.

const table = {
  INVALID_INPUT: [400, '{reason}'],
  UNAUTHENTICATED: [401, 'No valid key. Send the header "Authorization: Bearer <API_KEY>".'],
  INSUFFICIENT_PERMISSIONS: [403, 'This key may not do that: it needs the right "{right}".'],
  CSRF_FAILURE: [
    403,
    'This comes with the cookie of a browser, but not from a page of this address: send the header "X-Requested-With".',
  ],
  ORIGIN_REFUSED: [
    403,
    'A page of {origin} may not call this address: pages of another address get no answer here, programs send no "Origin".',
  ],
  DOCUMENT_NOT_WRITABLE: [
    403,
    'This key may not write to that document: it also belongs to a connector that is closed to it.',
  ],
  NOT_OWNER: [403, 'You can only modify actions that you created.'],
  NOT_PERSONA_OWNER: [403, 'A persona is changed by who made it, or by an administrator.'],
  EGRESS_APPROVALS_OFF: [
    403,
    'The operator has switched approvals off. To open {host}, start the service with EGRESS_APPROVALS=on, or with EGRESS_ALLOW naming it.',
  ],
  NOT_FOUND: [404, 'Not Found{what}'],
  METHOD_NOT_ALLOWED: [405, 'Method Not Allowed'],
  CONNECTOR_WITHOUT_PAIR: [404, 'No Connector-Credential Pair found for this connector.'],
  CONNECTOR_NOT_FOUND: [404, 'Connector {id} does not exist.'],
  CREDENTIAL_NOT_FOUND: [404, 'Credential {id} does not exist.'],
  CC_PAIR_NOT_FOUND: [404, 'Connector-Credential Pair specified does not exist: {id}.'],
  DOCUMENT_NOT_FOUND: [404, 'Document not found: it was never accepted, or it was deleted.'],
  TOOL_NOT_FOUND: [404, 'Tool by specified id does not exist.'],
  TOOLS_NOT_FOUND: [404, 'Tools with IDs {ids} not found.'],
  MCP_SERVER_NOT_FOUND: [404, 'MCP server not found.'],
  MCP_SERVER_REFUSES: [
    424,
    'The MCP server wants other credentials. {reason} Give it others, or sign in with POST /mcp/oauth/connect where it uses OAuth.',
  ],
  MCP_SERVER_FAILED: [424, 'The MCP server cannot be used: {reason}'],
  MCP_SIGN_IN_FAILED: [400, 'The sign-in at the MCP server did not succeed: {reason}'],
  API_KEY_NOT_FOUND: [404, 'API key with id {id} does not exist.'],
  PAT_NOT_FOUND: [404, 'Token not found or not owned by user.'],
  PERSONA_NOT_FOUND: [404, 'Persona with id {id} does not exist.'],
  TOOL_FAILURE_NOT_FOUND: [404, 'No failed call {id} of this tool is kept.'],
  SESSION_NOT_FOUND: [404, 'Chat session not found.'],
  SESSION_BUSY: [
    409,
    'This session is being answered just now. Wait for the end, or stop it with POST /chat/stop-chat-session/{id}.',
  ],
  MESSAGE_NOT_FOUND: [404, 'Chat message not found.'],
  NOTHING_ANSWERED: [
    404,
    'Nothing is being answered in this session. GET /chat/get-chat-session/{id} shows what was said.',
  ],
  CONFIRMATION_NOT_FOUND: [404, 'No tool waits for this confirmation: it was answered, or the answer has ended.'],
  OAUTH_CONFIG_NOT_FOUND: [404, 'OAuth config with id {id} not found.'],
  FILE_NOT_FOUND: [404, 'File not found.'],
  DOCUMENT_SET_NOT_FOUND: [404, 'Document set {id} does not exist.'],
  EGRESS_APPROVAL_NOT_FOUND: [404, 'Approval {id} does not exist.'],
  EGRESS_APPROVAL_EXISTS: [409, 'Approval {id} opens {host} already. Delete that one to give another reason.'],
  SECRET_KEY_NOT_FOUND: [404, 'Secret key {kid} does not exist.'],
  SECRET_KEY_IN_USE: [409, 'Secret key {kid} stays: {reason}.'],
  SECRET_KEY_ROTATING: [409, 'Secrets are being sealed with a new key just now. Try again when is_rotating is false.'],
  SECRET_KEY_FROM_ENVIRONMENT: [409, 'This secret key comes from the settings: {reason}.'],
  SEARCH_NOT_FOUND: [
    404,
    'No search of this key has that search_id and has shown that document, or it is not kept any longer. Send the search_id of the answer that the document stands in.',
  ],
  JUDGEMENT_NOT_FOUND: [404, 'Judgement {id} does not exist.'],
  WEBHOOK_NOT_FOUND: [404, 'Webhook {id} does not exist.'],
  TOO_MANY_WEBHOOKS: [409, 'There are {count} webhooks already. Delete one, or let one tell of several connectors.'],
  DUPLICATE_RESOURCE: [409, '{kind} named "{name}" exists already. Take another name, or change that one.'],
  CONFLICT: [409, 'Connector {connector} already has credential {credential}.'],
  CC_PAIR_DELETING: [
    409,
    'Connector-Credential Pair {id} is being deleted, so it cannot be changed. Make a new one in a moment.',
  ],
  NOTHING_PULLS: [
    400,
    'Nothing here pulls into Connector-Credential Pair {id}: it takes the documents that are pushed to it.',
  ],
  NOT_RUNNABLE: [400, 'No run can be started: {reason}.'],
  PRUNE_UNDERWAY: [409, 'Pruning task already in progress.'],
  PRUNE_NOT_HELD: [
    409,
    'No pruning of this pair is held back, so there is nothing to confirm. GET …/prune shows its state.',
  ],
  CONNECTOR_BUILT_IN: [400, 'The connector "Ingestion API" and its pair stay as they are.'],
  CONNECTOR_NOT_DELETABLE: [
    400,
    'Connector is not deletable: {count} connector-credential pairs use it. Delete them first with POST /manage/admin/deletion-attempt.',
  ],
  CREDENTIAL_BUILT_IN: [400, 'Credential 0 is the empty one, for connectors that need none; it stays as it is.'],
  CREDENTIAL_IN_USE: [
    400,
    'Cannot delete credential as it is still associated with {pairs} connector(s) and {documents} document(s).',
  ],
  VALIDATION_ERROR: [400, '{reason}'],
  BUILT_IN_TOOL: [400, 'Built-in tools cannot be modified through this endpoint.'],
  TOOL_NEEDS_CONSENT: [
    400,
    'This tool acts with your account at "{name}", and you have not agreed yet, or no longer. Connect it: POST /oauth-config/initiate {"oauth_config_id": {id}}.',
  ],
  TOOL_PROVIDER_FAILED: [424, 'Your token for this tool could not be renewed. {reason}'],
  TOOL_IN_USE: [400, 'This tool belongs to agents: {names}. Take it away from them first.'],
  INVALID_DEFINITION: [400, '{reason}'],
  PASSTHROUGH_CONFLICT: [400, 'Cannot use passthrough auth with custom authorization headers.'],
  CONNECTOR_NAME_TAKEN: [400, 'Connector by this name already exists, duplicate naming not allowed.'],
  NOT_A_FILE_CONNECTOR: [400, 'This connector reads no files: its source is {source}, not file.'],
  NOT_INGESTED: [400, 'Document was not created via the ingestion API, so it cannot be deleted there.'],
  REINDEX_UNDERWAY: [
    409,
    'The index is being made anew already. GET /admin/reindex says how far it is; DELETE /admin/reindex ends it.',
  ],
  INDEX_FILLING: [409, 'The index lost its data and is being filled again ({done} of {total}). Try again after that.'],
  REINDEX_NOT_FOUND: [404, 'No index is being made.'],
  EGRESS_REFUSED: [400, 'The address is not called: {reason}'],
  EGRESS_FAILED: [424, 'The call failed: {reason}'],
  EGRESS_LIMIT: [424, 'The call was given up: {reason}'],
  PAYLOAD_TOO_LARGE: [413, 'The request body is larger than {limit}.'],
  LINE_TOO_LARGE: [413, 'The line is larger than {limit}. Cut the document into several.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Content type {type} is not accepted here: send {expected}.'],
  BAD_REQUEST: [400, 'This is not HTTP as RFC 9112 has it.'],
  TIMED_OUT: [408, 'The request did not arrive in time.'],
  HEADERS_TOO_LARGE: [431, 'The headers of the request are larger than 64 KiB.'],
  TOO_MANY_REQUESTS: [
    429,
    'This key already has as many requests waiting as one key may. Try again after Retry-After.',
  ],
  OVERLOADED: [503, 'More requests wait than can be answered soon. Try again after the time in Retry-After.'],
  QUEUE_FULL: [503, 'Too many documents wait to be indexed. Try again after the time in Retry-After.'],
  STORE_FULL: [503, 'The disk that holds the data is full. Free some space; nothing of this request was kept.'],
  DISK_LOW: [
    503,
    'The disk that holds the data has {free} MB left, and {bound} MB are kept free. Free some space; searches and deletions go on.',
  ],
  STORE_UNAVAILABLE: [503, 'The database does not answer. Try again after the time in Retry-After.'],
  STORE_UNFIT: [500, 'The PostgreSQL server cannot hold the record: {reason}.'],
  SECRET_KEY_UNFIT: [500, '{path} must hold one key a line, of 20 characters at least.'],
  SECRET_KEY_MISSING: [
    500,
    'The record holds {count} secrets that were sealed with the key {kid}, which is not here. Start with that key as SECRET_KEY_PREVIOUS, or as a line of {path}. If it is lost for good, "pharos secrets" lists what is lost with it, and gives it up when told to.',
  ],
  PAGES_NOT_BUILT: [
    503,
    'The pages are not built. Start the service with "npm start", or run "npm run build" and start it again.',
  ],
  SHUTTING_DOWN: [503, 'The service is shutting down. Try again after the time in Retry-After.'],
  INTERNAL_ERROR: [500, 'Something went wrong here. The log of the service has the reason under request id {id}.'],
  SCHEMA_NEWER: [500, 'The database has schema {found}, this program knows {known}. Start the newer program.'],
  DATA_IN_USE: [500, '{folder} is in use by {who}. Stop that one, or give this one another DATA_DIR.'],
  RECORD_MISSING: [500, 'There is no record yet at {place}. Is DATA_DIR the folder of the service?'],
  RECORD_EXISTS: [
    500,
    'There is a record already at {place}. --replace sets it aside and puts the backup in its place.',
  ],
  RECORD_IN_USE: [500, 'The record is in use: {reason}. Stop the service first.'],
  RECORD_DAMAGED: [500, 'The database is damaged: {reason}. Restore the newest backup.'],
  BACKUP_EXISTS: [500, '{path} exists already and is not overwritten. Take another name.'],
  BACKUP_INVALID: [500, 'This is no backup of Pharos, or it is damaged: {reason}.'],
  BACKUP_NEWER: [
    500,
    'The backup has schema {found} and was made by version {version}, this program knows {known}. Restore it with the newer program.',
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type ErrorCode = keyof typeof table
export const errorTable: Record<ErrorCode, readonly [status: number, message: string]> = table

export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number

  constructor(code: ErrorCode, facts: Record<string, string | number> = {}, options?: ErrorOptions) {
    const [status, message] = table[code]
    super(
      message.replace(/\{(\w+)\}/g, (_, name: string) => String(facts[name] ?? '')),
      options,
    )
    this.code = code
    this.status = status
  }
}
