// Under which name a request is followed: through the log, the record, the receipts and the audit.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** No "@", no space, no slash: a person's address or a piece of text must not become a name that is logged. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/
/** W3C Trace Context: version, trace, span, flags. Version ff and a trace of zeros are invalid. */
const TRACE = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/

/** The client's `X-Request-ID` if it is well formed, else the trace of its `traceparent`, else a new name. */
export function requestIdOf(headers: IncomingMessage['headers']): string {
  const { 'x-request-id': given, traceparent } = headers
  if (typeof given === 'string' && NAME.test(given)) return given
  const [, trace] = typeof traceparent === 'string' ? (TRACE.exec(traceparent) ?? []) : []
  return trace ?? randomUUID()
}
