// Limits what a server may send.
import type { Socket } from 'node:net'

/** ldapts reads the messages of a chunk recursively. The smallest message has 7 bytes. */
const MAX_CHUNK = 4_096
const MAX_BYTES = 4 << 20

/**
 * Hands on small chunks only, and ends the connection after 4 MiB. Call it before anything is read: a server that speaks
 * first is cut off, because LDAP servers do not.
 */
export function limitInput(socket: Socket): Socket {
  if (socket.readableLength > 0) return socket.destroy(new Error('The server spoke before it was asked.'))
  const push = socket.push.bind(socket)
  let received = 0
  socket.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) return push(null)
    received += chunk.length
    if (received > MAX_BYTES) {
      socket.destroy(new Error(`The server sent more than ${MAX_BYTES} bytes.`))
      return false
    }
    let wantsMore = true
    for (let at = 0; at < chunk.length; at += MAX_CHUNK) wantsMore = push(chunk.subarray(at, at + MAX_CHUNK))
    return wantsMore
  }
  return socket
}
