// The end of a request: its response is sent, or its client has gone.
import type { FastifyReply } from 'fastify'

/** Runs the action at the end of the request. It may be past already, and `close` is emitted only once. */
export function whenClosed({ raw }: FastifyReply, action: () => void): void {
  if (raw.closed) action()
  else raw.once('close', action)
}
