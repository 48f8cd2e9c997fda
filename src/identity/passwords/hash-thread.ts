// Computes argon2id in a thread of low priority, so that searches get the processors first.
import { type Argon2Parameters, argon2Sync } from 'node:crypto'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

export interface HashRequest {
  id: number
  parameters: Argon2Parameters
}

export type HashReply = { id: number; tag: Uint8Array } | { id: number; error: string }

if (parentPort === null) throw new Error('Hashes are computed in a thread of their own.')
const port = parentPort

/** While the processors are busy, the thread still gets about a tenth of one. */
const NICE = 10
// On Linux this lowers the calling thread alone; elsewhere it would lower the whole process.
if (process.platform === 'linux') setPriority(0, NICE)

port.on('message', ({ id, parameters }: HashRequest) => port.postMessage({ id, ...compute(parameters) }))

function compute(parameters: Argon2Parameters): { tag: Uint8Array } | { error: string } {
  try {
    return { tag: argon2Sync('argon2id', parameters) }
  } catch (error) {
    return { error: String(error) }
  }
}
