// A program whose disk fails and whose clock jumps on request, by preloading faults.c.
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'

export interface FaultInjector {
  /** Environment of the program. */
  env: Record<string, string>
  /** Shifts the clock from now on. */
  jump(seconds: number): void
  /** Makes these calls fail on files whose path contains the name. */
  fail(call: keyof typeof CALLS, name: string): void
  /** Makes the disk work again. */
  heal(): void
}

const CALLS = { read: 1, write: 2, sync: 4 }
const EIO = 5
const BYTES = 128

/** Ends with the test, or with the file if called at top level. */
export async function openFaultInjector(): Promise<FaultInjector> {
  const folder = await mkdtemp(join(tmpdir(), 'pharos-faults-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const [shim, path] = [join(folder, 'faults.so'), join(folder, 'control')]
  const source = join(import.meta.dirname, 'faults.c')
  await promisify(execFile)('gcc', ['-O2', '-shared', '-fPIC', '-w', '-o', shim, source, '-ldl'])
  const control = Buffer.alloc(BYTES)
  const tell = () => writeFileSync(path, control, { flag: 'r+' })
  writeFileSync(path, control)
  return {
    env: { LD_PRELOAD: shim, FAULTS: path },
    jump(seconds) {
      control.writeBigInt64LE(BigInt(seconds), 0)
      tell()
    },
    fail(call, name) {
      control.fill(0, 16)
      control.write(name, 16)
      control.writeInt32LE(EIO, 12)
      control.writeInt32LE(CALLS[call], 8)
      tell()
    },
    heal() {
      control.writeInt32LE(0, 8)
      tell()
    },
  }
}
