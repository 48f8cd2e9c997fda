// The request id, which connects a request with the log, the record, its receipts and the audit log.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Excludes "@", spaces and slashes, because the id is logged: it must not be an e-mail address or a text. */
const REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/
/** W3C Trace Context: version, trace id, parent id, flags. Version ff and ids of zeros are invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/

const MAX_TRACEPARENT_LENGTH = 256

/** The client's `X-Request-ID` if it is well-formed, else the trace id of its `traceparent`, else a new id. */
export function readRequestId(headers: IncomingMessage['headers']): string {
  const { 'x-request-id': given, traceparent } = headers
  // Headers that are too long are rejected later, but that response needs an id too.
  if (typeof given === 'string' && REQUEST_ID.test(given)) return given
  const [, trace] =
    typeof traceparent === 'string' && traceparent.length <= MAX_TRACEPARENT_LENGTH
      ? (TRACEPARENT.exec(traceparent) ?? [])
      : []
  return trace ?? randomUUID()
}
