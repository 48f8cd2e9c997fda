// The part of WebAssembly that the engine uses. TypeScript declares it only together with the DOM.

export interface SharedMemory {
  readonly buffer: SharedArrayBuffer
  grow(pages: number): number
}

interface WebAssemblyApi {
  Memory: new (size: { initial: number; maximum: number; shared: true }) => SharedMemory
  Module: new (binary: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> }
  validate(binary: Uint8Array): boolean
}

declare const WebAssembly: WebAssemblyApi

export const wasm = WebAssembly
