// Limits open connections so that file descriptors remain for files. Clients beyond the limit get a 503 answer.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../domain/errors.ts'
import type { Logger } from '../../domain/logger.ts'

export interface ConnectionLimiter {
  /** Starts to count the connections of this server, and closes those beyond the limit. */
  attach(server: FastifyInstance['server']): void
  /** Requests on a refused connection are answered 503, except those of health checks and metrics. */
  isRefused(socket: Socket): boolean
  /** Throws SERVICE_UNAVAILABLE while the limit is reached. */
  checkCapacity(): void
  stats(): { open: number; most: number | null; refused: number }
}

interface ConnectionLimitSettings {
  /** Null: no limit. */
  maxOpen: number | null
  logger: Logger
}

/** Extra connections that are held briefly so that they can be answered 503. */
const MIN_REFUSAL_SLOTS = 4
const MAX_REFUSAL_SLOTS = 32
const REFUSAL_SLOT_SHARE = 0.125
/** A refused connection without a request is closed after this time. */
const REFUSAL_TIMEOUT_MS = 2_000
/** The end of an overload is logged below this share of the limit, to avoid a log line for each closed connection. */
const RECOVERED_SHARE = 0.9

export function limitConnections({ maxOpen, logger }: ConnectionLimitSettings): ConnectionLimiter {
  /** Timers that close refused connections that send no request. */
  const refusalTimers = new WeakMap<Socket, NodeJS.Timeout>()
  let open = 0
  let refusedCount = 0
  /** `refusedCount` at the start of the overload; undefined when there is none. */
  let refusedBefore: number | undefined

  const refuse = (details: object) => {
    refusedCount++
    if (refusedBefore !== undefined) return
    refusedBefore = refusedCount - 1
    logger.warn({ open, most: maxOpen, ...details }, 'connections refused: file descriptor limit reached')
  }
  const release = () => {
    open--
    if (refusedBefore === undefined || (maxOpen !== null && open > maxOpen * RECOVERED_SHARE)) return
    logger.info({ open, most: maxOpen, refused: refusedCount - refusedBefore }, 'connections accepted again')
    refusedBefore = undefined
  }
  const accept = (socket: Socket) => {
    if (maxOpen === null || open < maxOpen) {
      open++
      socket.once('close', release)
      return
    }
    refusalTimers.set(
      socket,
      setTimeout(() => socket.destroy(), REFUSAL_TIMEOUT_MS),
    )
    refuse({})
    socket.once('close', () => clearTimeout(refusalTimers.get(socket)))
  }
  return {
    attach(server) {
      if (maxOpen !== null) {
        const refusalSlots = Math.min(
          Math.max(MIN_REFUSAL_SLOTS, Math.floor(maxOpen * REFUSAL_SLOT_SHARE)),
          MAX_REFUSAL_SLOTS,
        )
        server.maxConnections = maxOpen + refusalSlots
      }
      server.on('connection', accept)
      server.on('request', ({ socket }: IncomingMessage) => clearTimeout(refusalTimers.get(socket)))
      server.on('drop', () => refuse({}))
      // accept() failed for lack of a descriptor. Without a listener the error would end the process.
      server.on('error', (err) => {
        if (server.listening) refuse({ err })
      })
    },
    isRefused: (socket) => refusalTimers.has(socket),
    checkCapacity() {
      if (maxOpen === null || open < maxOpen) return
      const reason = `All ${maxOpen} connections that the file descriptor limit allows are in use. The operator can raise it with "ulimit -n".`
      throw new AppError('SERVICE_UNAVAILABLE', { reason })
    },
    stats: () => ({ open, most: maxOpen, refused: refusedCount }),
  }
}
