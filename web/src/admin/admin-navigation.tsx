// The navigation of the administration: the pages that the person may open, in parts. A narrow screen shows the name of the
// current page; it opens the list.
import { useLocation } from '@tanstack/react-router'
import { useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { useMe } from '../session.ts'
import { textsOf } from '../text/texts.ts'
import { AdminLink } from './admin-link.tsx'
import { ADMIN_SECTIONS, type AdminPage, type AdminSection, allowedPages } from './admin-pages.ts'
import { AlertBadge } from './alert-badge.tsx'

export function AdminNavigation() {
  const pages = allowedPages(useMe())
  const { pathname } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const nav = useRef<HTMLElement>(null)
  const list = useId()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address decides which link is the current one.
  useEffect(() => {
    setOpen(false)
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  return (
    <nav className="admin-nav" aria-label={textsOf('shell')('administration')} ref={nav}>
      <button
        type="button"
        className="admin-nav-button"
        aria-expanded={isOpen}
        aria-controls={list}
        onClick={() => setOpen(!isOpen)}
      >
        <CurrentPage pages={pages} pathname={pathname} />
        <Icon name="down" size={16} />
      </button>
      <div id={list} className="admin-nav-list" data-open={isOpen}>
        {ADMIN_SECTIONS.map((it) => (
          <Section key={it} section={it} pages={pages.filter(({ section }) => section === it)} />
        ))}
      </div>
    </nav>
  )
}

function CurrentPage({ pages, pathname }: { pages: readonly AdminPage[]; pathname: string }) {
  const name = pathname.split('/')[2]
  const page = pages.find((it) => it.name === name)
  return <span>{page === undefined ? textsOf('shell')('administration') : textsOf('admin.pages')(page.name)}</span>
}

/** The heading is enough: a landmark for each part would be too many. */
function Section({ section, pages }: { section: AdminSection; pages: readonly AdminPage[] }) {
  if (pages.length === 0) return null
  const t = textsOf('admin.pages')
  return (
    <div className="admin-nav-section">
      {section !== 'start' && <h2>{textsOf('admin.sections')(section)}</h2>}
      {pages.map(({ name }) => (
        <AdminLink key={name} page={name}>
          {t(name)}
          {name === 'overview' && <AlertBadge />}
        </AdminLink>
      ))}
    </div>
  )
}
