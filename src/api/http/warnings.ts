// The response header `Pharos-Warnings`: a bounded list of quoted ASCII strings (RFC 9651).
import type { FastifyReply } from 'fastify'

export const WARNINGS_HEADER = 'pharos-warnings'

const MAX_WARNINGS = 10
const MAX_LENGTH = 200

/** Returns a function that adds a warning to the response, whatever its status. */
export function createWarningWriter(reply: FastifyReply): (text: string) => void {
  const texts: string[] = []
  return (text) => {
    texts.push(text)
    if (texts.length <= MAX_WARNINGS + 1) reply.header(WARNINGS_HEADER, warningsHeader(texts))
  }
}

/** Warnings beyond the limit are not counted, because each would rewrite the header. */
export function warningsHeader(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_WARNINGS)
  return [...shown, ...(texts.length > MAX_WARNINGS ? ['There are more warnings.'] : [])].map(quoteWarning).join(', ')
}

/** Double quotes become single quotes; characters that a header cannot hold become question marks. */
function quoteWarning(text: string): string {
  const short = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}...` : text
  return `"${short.replaceAll('"', "'").replace(/[^\x20-\x7e]|\\/g, '?')}"`
}
