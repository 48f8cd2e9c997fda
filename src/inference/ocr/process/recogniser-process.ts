// The process that recognises text. It gets one picture at a time, and `recogniser.ts` may kill it at any moment.
import { Worker } from 'node:worker_threads'
import type { GreyPicture } from '../../../domain/pictures/grey-picture.ts'
import { errorMessage } from '../../../domain/values/node-error.ts'
import { readPicture } from '../read-picture.ts'
import type { RecogniserReply } from './recogniser-messages.ts'
import { openRecognitionModels } from './recogniser-models.ts'
import type { WatchdogData } from './recogniser-watchdog.ts'

const begun = new SharedArrayBuffer(8)
const [memoryBytes = 0, timeMs = 0] = process.argv.slice(2).map(Number)
const workerData: WatchdogData = { parent: process.ppid, memoryBytes, timeMs, begun }
new Worker(new URL('./recogniser-watchdog.ts', import.meta.url), { workerData })

const models = openRecognitionModels()
// The answer to the first picture tells the failure.
models.catch(() => {})

process.on('disconnect', () => process.exit())
// A terminal or supervisor signals the whole process group. This process ends when the service disconnects.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('message', async (picture: GreyPicture) => process.send?.(await answer(picture)))

async function answer(picture: GreyPicture): Promise<RecogniserReply> {
  const { user, system } = process.cpuUsage()
  new BigInt64Array(begun)[0] = BigInt(user + system)
  try {
    const recognised = await readPicture(await models, picture)
    return { recognised, heldBytes: process.memoryUsage.rss() }
  } catch (error) {
    return { failure: errorMessage(error) }
  }
}
