import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useBlocker, useNavigate, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { logoutWithOidc } from '../../../src/client/operations.ts'
import { allowedPages } from '../admin/admin-pages.ts'
import { api } from '../api.ts'
import { useHasRankingDraft } from '../pages/ranking/ranking-query.ts'
import { Brand } from '../parts/brand.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { ConnectionBanner } from '../parts/connection-banner.tsx'
import { Icon } from '../parts/icon.tsx'
import { KeyboardHelp } from '../parts/keyboard-help.tsx'
import { UndoNotice } from '../parts/undo-notice.tsx'
import { hasPermission, useMe, userLabel } from '../session.ts'
import { textsOf } from '../text/texts.ts'
import { PaletteKey } from './palette/palette-key.tsx'
import { ThemeButton } from './theme-button.tsx'

export function Shell() {
  const t = textsOf('shell')
  const me = useMe()
  const main = useFocusOnNewPage()
  const { signOut, isPending } = useSignOut()
  const isUnsaved = useUnsavedWarning()
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <a className="skip" href="#main">
        {t('skip')}
      </a>
      <header className="shell-header">
        <div className="shell-bar">
          <Link to="/" className="shell-brand">
            <Brand />
            Pharos
          </Link>
          <nav className="shell-nav" aria-label={t('pages')}>
            <PageLink to="/" isExact>
              {t('search')}
            </PageLink>
            {hasPermission(me, 'chat') && <PageLink to="/chat/{-$chat_session_id}">{t('chat')}</PageLink>}
            {hasPermission(me, 'chat') && <PageLink to="/agents/{-$id}">{t('agents')}</PageLink>}
            {hasPermission(me, 'search') && <PageLink to="/sources">{t('sources')}</PageLink>}
            {allowedPages(me).length > 0 && <PageLink to="/admin">{t('administration')}</PageLink>}
          </nav>
          <div className="row shell-tools">
            <ThemeButton />
            {hasPermission(me, 'pats') && (
              <Link to="/account" className="shell-account" activeProps={{ 'aria-current': 'page' }}>
                {t('account')}
              </Link>
            )}
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              fw={500}
              leftSection={<Icon name="out" size={16} />}
              onClick={() => (isUnsaved ? setIsAsking(true) : signOut())}
              title={me === undefined ? undefined : t('signed_in_as', { person: userLabel(me) })}
            >
              {t('sign_out')}
            </Button>
          </div>
        </div>
      </header>
      <ConnectionBanner />
      <UndoNotice />
      <main className="shell-main" id="main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
      <KeyboardHelp />
      <PaletteKey />
      {isAsking && (
        <ConfirmDialog
          title={t('unsaved_title')}
          action={t('sign_out')}
          isPending={isPending}
          error={null}
          onConfirm={signOut}
          onClose={() => setIsAsking(false)}
        >
          {t('unsaved_help')}
        </ConfirmDialog>
      )}
    </>
  )
}

function useSignOut() {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      // If the session has already ended, the sign-in page is the right place too.
      const ended = await logoutWithOidc(api).catch(() => null)
      queryClient.clear()
      if (ended?.end_session_url != null) return window.location.assign(ended.end_session_url)
      await navigate({ to: '/sign-in' })
    },
  })
  return { signOut: () => mutate(), isPending }
}

/** The draft of the ranking stays while the person visits other pages, so the browser asks before it leaves any of them. */
function useUnsavedWarning(): boolean {
  const isUnsaved = useHasRankingDraft()
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: isUnsaved })
  return isUnsaved
}

const PageLink = ({ to, isExact = false, children }: { to: string; isExact?: boolean; children: ReactNode }) => (
  <Link to={to} activeOptions={{ exact: isExact, includeSearch: false }} activeProps={{ 'aria-current': 'page' }}>
    {children}
  </Link>
)

/** Moves the focus after navigation, so that screen readers announce the new page. The first page sets its own focus. */
function useFocusOnNewPage() {
  const main = useRef<HTMLElement>(null)
  // A new chat receives its URL while the user is typing in it.
  const pathname = useRouterState({ select: (it) => it.location.pathname.replace(/^\/chat\/.*/, '/chat') })
  const last = useRef(pathname)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    main.current?.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [pathname])
  return main
}
