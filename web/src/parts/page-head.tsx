import type { ReactNode } from 'react'

interface Props {
  title: string
  help: string
  /** Buttons for the whole page. */
  children?: ReactNode
}

export const PageHead = ({ title, help, children }: Props) => (
  <div className="page-head">
    <div>
      <h1>{title}</h1>
      <p>{help}</p>
    </div>
    {Boolean(children) && <div className="row">{children}</div>}
  </div>
)
