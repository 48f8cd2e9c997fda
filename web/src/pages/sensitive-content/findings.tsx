// The findings of one document, with their places, and the decision about each.
import { Badge, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { dismissSensitiveFinding, releaseSensitiveDocument } from '../../../../src/client/operations.ts'
import type { SensitiveDocument, SensitiveFinding } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { ErrorAlert } from '../../parts/states.tsx'
import { listText } from '../../parts/text.tsx'
import { textsOf } from '../../text/texts.ts'
import { kindText } from './kinds.ts'

const KindBadge = ({ kind, isSecret }: { kind: string; isSecret: boolean }) => (
  <Badge color={isSecret ? 'red' : 'yellow'} variant="light" tt="none">
    {kindText(kind)}
  </Badge>
)

export function Findings({ document }: { document: SensitiveDocument }) {
  const t = textsOf('admin.sensitive_content')
  const { release, dismiss } = useDecisions(document.document_id)
  const error = release.error ?? dismiss.error
  return (
    <>
      {error !== null && <ErrorAlert error={error} />}
      {(document.quarantined_at !== null || document.released_at !== null) && (
        <div className="row">
          <Badge color={document.quarantined_at === null ? 'gray' : 'red'} tt="none">
            {document.quarantined_at === null ? t('released') : t('quarantined')}
          </Badge>
          <Button
            size="compact-sm"
            variant="default"
            loading={release.isPending}
            onClick={() => release.mutate(document.quarantined_at !== null)}
          >
            {document.quarantined_at === null ? t('hold') : t('release')}
          </Button>
        </div>
      )}
      <ul className="sensitive-findings">
        {document.findings.map((it) => (
          <li key={it.kind}>
            <Finding
              finding={it}
              isPending={dismiss.isPending}
              onDismiss={(dismissed) => dismiss.mutate({ kind: it.kind, dismissed })}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

function useDecisions(document_id: string) {
  const queries = useQueryClient()
  const reload = async () => {
    await queries.invalidateQueries({ queryKey: ['sensitive-content'] })
    await queries.invalidateQueries({ queryKey: ['receipts'] })
  }
  return {
    release: useMutation({
      mutationFn: (released: boolean) => releaseSensitiveDocument(api, { body: { document_id, released } }),
      onSuccess: reload,
    }),
    dismiss: useMutation({
      mutationFn: (decision: { kind: SensitiveFinding['kind']; dismissed: boolean }) =>
        dismissSensitiveFinding(api, { body: { document_id, ...decision } }),
      onSuccess: reload,
    }),
  }
}

interface FindingProps {
  finding: SensitiveFinding
  isPending: boolean
  onDismiss: (isDismissed: boolean) => void
}

function Finding({ finding, isPending, onDismiss }: FindingProps) {
  const t = textsOf('admin.sensitive_content')
  const { kind, is_secret, count, places, dismissed_at } = finding
  return (
    <>
      <div className="row">
        <KindBadge kind={kind} isSecret={is_secret} />
        <span className="small">{t('times', { count })}</span>
        {dismissed_at !== null && <span className="small dimmed">{t('dismissed')}</span>}
        <Button
          size="compact-xs"
          variant="subtle"
          disabled={isPending}
          aria-label={
            dismissed_at === null ? t('dismiss_of', { kind: kindText(kind) }) : t('report_of', { kind: kindText(kind) })
          }
          onClick={() => onDismiss(dismissed_at === null)}
        >
          {dismissed_at === null ? t('dismiss') : t('report')}
        </Button>
      </div>
      {places.length > 0 && <p className="small dimmed">{listText(places.map(placeText))}</p>}
    </>
  )
}

function placeText({ section, heading, page }: SensitiveFinding['places'][number]): string {
  const t = textsOf('admin.sensitive_content')
  if (section === 0) return t('place_title')
  if (page !== null) return t('place_page', { page })
  return heading === null ? t('place_section', { section }) : t('place_heading', { section, heading })
}
