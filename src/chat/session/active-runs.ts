// The answers of this process that are running or ended a moment ago.
import type { AnswerRun, EndReason } from './answer-run.ts'

export interface ActiveRuns {
  add(answerRun: AnswerRun): void
  /** Undefined if the session has no run of this owner. */
  find(owner: string, sessionId: string): AnswerRun | undefined
  /** Aborts all runs, or those of one owner, and waits until they have ended. */
  abortAll(why: EndReason, owner?: string): Promise<void>
}

/** How long an ended answer can still be read, so that a client that lost its connection gets the rest. */
const RESUME_WINDOW_MS = 30_000
const MAX_ENDED_RUNS = 100

export function createActiveRuns(): ActiveRuns {
  const runs = new Map<string, AnswerRun>()
  const forget = (answerRun: AnswerRun) => {
    if (runs.get(answerRun.chat_session_id) === answerRun) runs.delete(answerRun.chat_session_id)
  }
  const forgetLater = (answerRun: AnswerRun) => {
    setTimeout(() => forget(answerRun), RESUME_WINDOW_MS).unref()
    const over = [...runs.values()].filter((it) => it.log.hasEnded)
    for (const it of over.slice(0, -MAX_ENDED_RUNS)) forget(it)
  }
  return {
    add(answerRun) {
      runs.delete(answerRun.chat_session_id)
      runs.set(answerRun.chat_session_id, answerRun)
      answerRun.ended.then(() => forgetLater(answerRun))
    },
    find(owner, sessionId) {
      const answerRun = runs.get(sessionId)
      return answerRun?.owner === owner ? answerRun : undefined
    },
    async abortAll(why, owner) {
      const all = [...runs.values()].filter((it) => owner === undefined || it.owner === owner)
      for (const it of all) it.abort(why)
      await Promise.all(all.map((it) => it.ended))
    },
  }
}
