// Sends computations to the thread that hashes passwords.
import type { Argon2Parameters } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { HashReply, HashRequest } from './hash-thread.ts'

export type ComputeTag = (parameters: Argon2Parameters) => Promise<Buffer>

/** Starts the thread at the first computation, and another one if it has ended. An idle thread keeps no process alive. */
export function createTagComputer(): ComputeTag {
  const pending = new Map<number, { resolve: (tag: Buffer) => void; reject: (error: Error) => void }>()
  let worker: Worker | undefined
  let lastId = 0
  const start = () => {
    const started = new Worker(new URL('./hash-thread.ts', import.meta.url))
    const fail = (error: Error) => {
      if (worker === started) worker = undefined
      for (const { reject } of pending.values()) reject(error)
      pending.clear()
    }
    started.on('error', fail)
    started.on('exit', () => fail(new Error('the thread that hashes passwords ended')))
    started.on('message', (reply: HashReply) => {
      const waiter = pending.get(reply.id)
      pending.delete(reply.id)
      if (pending.size === 0) started.unref()
      if ('tag' in reply) waiter?.resolve(Buffer.from(reply.tag))
      else waiter?.reject(new Error(reply.error))
    })
    return started
  }
  return (parameters) =>
    new Promise((resolve, reject) => {
      worker ??= start()
      const id = ++lastId
      pending.set(id, { resolve, reject })
      worker.ref()
      worker.postMessage({ id, parameters } satisfies HashRequest)
    })
}
