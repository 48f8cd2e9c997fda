import { useSyncExternalStore } from 'react'

const print = window.matchMedia('print')
/** The browser reports the begin of printing before the media query matches. */
let isBegun = false

/** Whether the page is being printed, so that tables draw the rows that are not near the window. */
export const useIsPrinting = (): boolean => useSyncExternalStore(subscribe, () => isBegun || print.matches)

function subscribe(onChange: () => void): () => void {
  const begin = () => {
    isBegun = true
    onChange()
  }
  const end = () => {
    isBegun = false
    onChange()
  }
  window.addEventListener('beforeprint', begin)
  window.addEventListener('afterprint', end)
  print.addEventListener('change', onChange)
  return () => {
    window.removeEventListener('beforeprint', begin)
    window.removeEventListener('afterprint', end)
    print.removeEventListener('change', onChange)
  }
}
