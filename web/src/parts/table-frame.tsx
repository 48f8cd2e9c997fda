import type { ReactNode } from 'react'

/** Scrolls horizontally when the window is narrower than the table; reachable by keyboard. */
export const TableFrame = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
  <div className="table-scroll" role="group" aria-label={label} tabIndex={0}>
    {children}
  </div>
)
