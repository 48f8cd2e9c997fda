// Every error that somebody outside can meet: its code, its HTTP status, and a sentence that says the way out.

const table = {
  INVALID_INPUT: [400, '{reason}'],
  UNAUTHENTICATED: [401, 'No valid key. Send the header "Authorization: Bearer <API_KEY>".'],
  INSUFFICIENT_PERMISSIONS: [403, 'This key may not do that: it needs the right "{right}".'],
  DOCUMENT_NOT_WRITABLE: [
    403,
    'This key may not write to that document: it also belongs to a connector that is closed to it.',
  ],
  NOT_OWNER: [403, 'You can only modify actions that you created.'],
  NOT_FOUND: [404, 'Not Found'],
  METHOD_NOT_ALLOWED: [405, 'Method Not Allowed'],
  CONNECTOR_NOT_FOUND: [404, 'Connector {id} does not exist.'],
  CREDENTIAL_NOT_FOUND: [404, 'Credential {id} does not exist.'],
  CC_PAIR_NOT_FOUND: [404, 'Connector-Credential Pair specified does not exist: {id}.'],
  DOCUMENT_NOT_FOUND: [404, 'Document not found: it was never accepted, or it was deleted.'],
  TOOL_NOT_FOUND: [404, 'Tool by specified id does not exist.'],
  OAUTH_CONFIG_NOT_FOUND: [404, 'OAuth config with id {id} not found.'],
  BUILT_IN_TOOL: [400, 'Built-in tools cannot be modified through this endpoint.'],
  PASSTHROUGH_CONFLICT: [400, 'Cannot use passthrough auth with custom authorization headers.'],
  CONNECTOR_NAME_TAKEN: [400, 'Connector by this name already exists, duplicate naming not allowed.'],
  NOT_INGESTED: [400, 'Document was not created via the ingestion API, so it cannot be deleted there.'],
  PAYLOAD_TOO_LARGE: [413, 'The request body is larger than {limit}.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Content type {type} is not accepted here: send {expected}.'],
  BAD_REQUEST: [400, 'This is not HTTP as RFC 9112 has it.'],
  TIMED_OUT: [408, 'The request did not arrive in time.'],
  HEADERS_TOO_LARGE: [431, 'The headers of the request are larger than 64 KiB.'],
  QUEUE_FULL: [503, 'Too many documents wait to be indexed. Try again after the time in Retry-After.'],
  STORE_FULL: [503, 'The disk that holds the data is full. Free some space; nothing of this request was kept.'],
  SHUTTING_DOWN: [503, 'The service is shutting down. Try again after the time in Retry-After.'],
  INTERNAL_ERROR: [500, 'Something went wrong here. The log of the service has the reason under request id {id}.'],
  SCHEMA_NEWER: [500, 'The database has schema {found}, this program knows {known}. Start the newer program.'],
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
