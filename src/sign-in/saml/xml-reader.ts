// Sends texts of strangers to the thread that parses them, with limits on size, time, memory and stack.
import { Worker } from 'node:worker_threads'
import { AppError } from '../../domain/errors.ts'
import { createFairSemaphore } from '../../flow/fair-semaphore.ts'
import type { ReadMetadata } from './read-metadata.ts'
import type { ReadResponse, ResponseRequest } from './read-response.ts'
import type { XmlReply, XmlRequest } from './xml-thread.ts'

export interface XmlReader {
  /** `response` is base64. Askers take turns. SERVICE_UNAVAILABLE if too many wait, or too many of the asker. */
  readResponse(asker: string, response: string, request: Omit<ResponseRequest, 'xml'>): Promise<ReadResponse>
  /** Comments are ignored. SERVICE_UNAVAILABLE if too many wait. */
  readMetadata(xml: string): Promise<ReadMetadata>
}

/** Processor time of the thread. A busy machine may give it none for seconds. */
const TIMEOUT_MS = 5_000
/** The most time that passes meanwhile, in timeouts. */
const MAX_WAITED = 12
/**
 * Texts of strangers that take about 2 s can be made within the limits of `check-shape.ts`. So one asker can make another
 * one wait for that long, and no longer.
 */
const TURNS = { permits: 1, permitsPerKey: 1, maxWaiting: 100, maxWaitingPerKey: 20 }
const ADMINISTRATOR = 'administrator'
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 2 }
/** A response with 1,000 groups has about 3,000. */
const MAX_TAGS = 20_000

/** Starts the thread at the first text, and another one after a text that took too long. */
export function openXmlReader({ timeoutMs = TIMEOUT_MS } = {}): XmlReader {
  const turns = createFairSemaphore(TURNS)
  let worker: Worker | undefined
  const ask = async (asker: string, request: XmlRequest): Promise<XmlReply> => {
    const turn = turns.acquire(asker)
    if (typeof turn === 'string')
      throw new AppError('SERVICE_UNAVAILABLE', { reason: 'Too many sign-ins are running. Try again in some seconds.' })
    try {
      await turn.granted
      worker ??= startThread()
      const asked = await askThread(worker, request, timeoutMs)
      if (!asked.isUsable) worker = undefined
      return asked.reply
    } finally {
      turn.release()
    }
  }
  return {
    async readResponse(asker, response, request) {
      const xml = decode(response)
      if (xml === null) return { kind: 'invalid', fault: 'The response is no base64 of UTF-8 text.' }
      const fault = findTrick(xml)
      if (fault !== null) return { kind: 'invalid', fault }
      const reply = await ask(asker, { response: { ...request, xml } })
      return reply.kind === 'metadata' ? UNREADABLE : reply
    },
    async readMetadata(xml) {
      const fault = findDeclaration(xml) ?? findExcess(xml)
      if (fault !== null) return { kind: 'invalid', fault }
      const reply = await ask(ADMINISTRATOR, { metadata: xml })
      return reply.kind === 'metadata' || reply.kind === 'invalid' ? reply : UNREADABLE
    },
  }
}

const UNREADABLE = { kind: 'invalid', fault: 'The XML cannot be parsed within the limits of time and memory.' } as const

function startThread(): Worker {
  const worker = new Worker(new URL('./xml-thread.ts', import.meta.url), { resourceLimits: LIMITS })
  // The one who waits for an answer learns of it by the end of the thread.
  return worker.on('error', () => {})
}

interface Asked {
  reply: XmlReply
  isUsable: boolean
}

/** A thread that does not answer in time is ended. An idle one keeps no process alive. */
async function askThread(worker: Worker, request: XmlRequest, timeoutMs: number): Promise<Asked> {
  const { promise, resolve } = Promise.withResolvers<Asked>()
  const succeed = (reply: XmlReply) => resolve({ reply, isUsable: true })
  const fail = () => resolve({ reply: UNREADABLE, isUsable: false })
  const before = await worker.cpuUsage().catch(() => undefined)
  let waited = 0
  const timer = setInterval(async () => {
    if (++waited === MAX_WAITED || (await usedMs(worker, before)) >= timeoutMs) fail()
  }, timeoutMs)
  worker.ref()
  worker.once('message', succeed)
  worker.once('exit', fail)
  worker.postMessage(request)
  const asked = await promise
  clearInterval(timer)
  worker.off('message', succeed)
  worker.off('exit', fail)
  if (asked.isUsable) worker.unref()
  else await worker.terminate()
  return asked
}

/** Processor time since `before`. */
async function usedMs(worker: Worker, before: NodeJS.CpuUsage | undefined): Promise<number> {
  const { user, system } = await worker.cpuUsage(before)
  return (user + system) / 1_000
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Null if it is not base64 of UTF-8. */
function decode(response: string): string | null {
  const text = response.replaceAll(/\s/g, '')
  if (!BASE64.test(text)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64'))
  } catch {
    return null
  }
}

/**
 * Comments and processing instructions split a text in two, and only some programs read both parts; declarations define
 * entities. No identity provider needs them.
 */
function findTrick(xml: string): string | null {
  if (xml.includes('<!')) return 'The response contains a comment, CDATA or a declaration of a type.'
  if (xml.lastIndexOf('<?') > 0) return 'The response contains a processing instruction.'
  return findExcess(xml)
}

function findDeclaration(xml: string): string | null {
  const isOnlyComments = xml.split('<!').every((it, at) => at === 0 || it.startsWith('--'))
  return isOnlyComments ? null : 'The metadata contains CDATA or a declaration of a type.'
}

const findExcess = (xml: string): string | null =>
  xml.split('<').length > MAX_TAGS ? 'The XML has too many elements.' : null
