// The permission report: it is computed in the background when an administrator asks for it, and kept in memory.
import type { Logger } from '../../domain/logger.ts'
import { type AccessReport, computeReport, type ReportDeps } from './compute-report.ts'

export interface AccessReports {
  /** Does nothing while a report is being computed. */
  start(): void
  state(): AccessReportState
  /** Stops the computation and waits for its end. */
  close(): Promise<void>
}

export interface AccessReportState {
  /** The last report that was completed since the service started. */
  report: AccessReport | null
  isComputing: boolean
  /** How many documents the present computation has read. */
  progress: number
  /** The last computation failed; the log says why. */
  hasFailed: boolean
}

export function createAccessReports({ logger, ...deps }: ReportDeps & { logger: Logger }): AccessReports {
  const stop = new AbortController()
  const state: AccessReportState = { report: null, isComputing: false, progress: 0, hasFailed: false }
  let running: Promise<void> = Promise.resolve()
  const onProgress = (documents: number) => {
    state.progress = documents
  }
  const compute = async () => {
    try {
      state.report = await computeReport(deps, { signal: stop.signal, onProgress })
    } catch (err) {
      if (stop.signal.aborted) return
      state.hasFailed = true
      logger.error({ err }, 'permission report failed')
    } finally {
      state.isComputing = false
    }
  }
  return {
    start() {
      if (state.isComputing || stop.signal.aborted) return
      Object.assign(state, { isComputing: true, progress: 0, hasFailed: false })
      running = compute()
    },
    state: () => ({ ...state }),
    async close() {
      stop.abort()
      await running
    },
  }
}
