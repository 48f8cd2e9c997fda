// Preloaded into the program: at SIGUSR2 it ends the threads whose file END_THREAD names, without an error in them.
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'

if (threads.isMainThread) {
  const started = []
  threads.Worker = class extends threads.Worker {
    constructor(file, options) {
      super(file, options)
      started.push({ file: String(file), thread: this })
    }
  }
  syncBuiltinESMExports()
  process.on('SIGUSR2', () => {
    for (const { file, thread } of started) if (file.includes(process.env.END_THREAD)) void thread.terminate()
  })
}
