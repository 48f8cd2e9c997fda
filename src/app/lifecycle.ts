/** A part of the service with work to start or resources to close. */
export interface ServicePart {
  start?(): Promise<void> | void
  close?(): Promise<void> | void
}

export interface Lifecycle {
  /** Starts one part after another. Rejects with the first error; the parts that have started stay started. */
  start(): Promise<void>
  /** Closes one part after another, the last one first. Rejects with the first error. */
  close(): Promise<void>
}

export const createLifecycle = (parts: readonly ServicePart[]): Lifecycle => ({
  async start() {
    for (const part of parts) await part.start?.()
  },
  async close() {
    for (const part of parts.toReversed()) await part.close?.()
  },
})
