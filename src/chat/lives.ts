// The answers of this process that are being written, and for a moment those that were.
import type { Ending, Live } from './live.ts'

export interface Lives {
  add(live: Live): void
  /** Of that owner, or undefined. */
  find(owner: string, sessionId: string): Live | undefined
  /** Ends all, or those of one owner, and waits for it. */
  end(why: Ending, owner?: string): Promise<void>
}

/** How long an answer can be read again after its end, so that a client whose line broke gets the rest. */
const LINGER_MS = 30_000
const MAX_LINGERING = 100

export function createLives(): Lives {
  const lives = new Map<string, Live>()
  const forget = (live: Live) => {
    if (lives.get(live.chat_session_id) === live) lives.delete(live.chat_session_id)
  }
  const linger = (live: Live) => {
    setTimeout(() => forget(live), LINGER_MS).unref()
    const over = [...lives.values()].filter((it) => it.run.isOver)
    for (const it of over.slice(0, -MAX_LINGERING)) forget(it)
  }
  return {
    add(live) {
      lives.delete(live.chat_session_id)
      lives.set(live.chat_session_id, live)
      live.ended.then(() => linger(live))
    },
    find(owner, sessionId) {
      const live = lives.get(sessionId)
      return live?.owner === owner ? live : undefined
    },
    async end(why, owner) {
      const all = [...lives.values()].filter((it) => owner === undefined || it.owner === owner)
      for (const it of all) it.abort(why)
      await Promise.all(all.map((it) => it.ended))
    },
  }
}
