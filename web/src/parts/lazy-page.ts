// Loads the files of a page when it is opened.
import { lazyRouteComponent } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'

const RETRY_MS = 3_000
/** A public address, so that any answer means that the service is back. */
const PROBE = '/api/health'

let awaited = 0
const listeners = new Set<() => void>()

/**
 * Like `lazyRouteComponent`, which reloads the window if a file is missing, because a new version may have replaced it. Styles count too.
 * While the service cannot be reached, a reload would end at the error page of the browser, so it waits until the service is back.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch(async (cause: unknown) => {
        const wasAway = await untilReachable()
        const reason = cause instanceof Error ? cause.message : String(cause)
        // The router knows the error by its first words, and reloads only once for the same message.
        throw new Error(`Failed to fetch dynamically imported module: ${reason}${wasAway ? ` (${Date.now()})` : ''}`, {
          cause,
        })
      }),
    name,
  )

/** True while a page cannot be opened because the service cannot be reached. */
export const useAwaitedPage = (): boolean =>
  useSyncExternalStore(
    (onChange) => {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    () => awaited > 0,
  )

/** Resolves with whether the service was away. */
async function untilReachable(): Promise<boolean> {
  if (await isReachable()) return false
  countAwaited(1)
  do await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  while (!(await isReachable()))
  countAwaited(-1)
  return true
}

const isReachable = (): Promise<boolean> =>
  fetch(PROBE, { cache: 'no-store' }).then(
    () => true,
    () => false,
  )

function countAwaited(change: 1 | -1): void {
  awaited += change
  for (const it of listeners) it()
}
