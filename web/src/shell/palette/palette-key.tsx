// Ctrl-K, or ⌘K, opens the palette on every page. Its code is loaded when it is opened first.
import { lazy, Suspense, useEffect, useState } from 'react'

const Palette = lazy(() => import('./palette.tsx').then((it) => ({ default: it.Palette })))

export function PaletteKey() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.ctrlKey === event.metaKey || event.altKey || event.shiftKey) return
      event.preventDefault()
      const other = document.querySelector('dialog[open]:not(.palette)')
      if (other === null) setOpen((it) => !it)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  if (!isOpen) return null
  return (
    <Suspense fallback={null}>
      <Palette onClose={() => setOpen(false)} />
    </Suspense>
  )
}
