// Builds src/engine/vectors/int8-dots.wasm from its source.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import wabt from 'wabt'

const source = join(import.meta.dirname, '../src/engine/vectors/int8-dots.wat')
export const wasmPath = join(import.meta.dirname, '../src/engine/vectors/int8-dots.wasm')

export async function buildWasm(): Promise<Uint8Array> {
  const { parseWat } = await wabt()
  const module = parseWat(source, readFileSync(source, 'utf8'), { simd: true, threads: true })
  const { buffer } = module.toBinary({})
  module.destroy()
  return buffer
}
