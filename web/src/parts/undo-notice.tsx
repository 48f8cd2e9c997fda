// Says what was changed last, and offers to undo it. It stays while the person visits other pages.
import { Alert, Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { textsOf } from '../text/texts.ts'
import { Icon } from './icon.tsx'
import { ErrorAlert } from './states.tsx'
import { useKept } from './use-kept.ts'

interface UndoOffer {
  text: string
  help: string | null
  undo: () => Promise<UndoResult>
}

export type UndoResult = { state: 'undone'; text: string } | { state: 'refused'; text: string; help: string }

type KeptOffer = UndoOffer & { number: number }

const KEY = ['undo']
const noOffer = (): KeptOffer | null => null

/** Replaces the offer of an earlier change. */
export function useOfferUndo(): (offer: UndoOffer) => void {
  const queryClient = useQueryClient()
  return (offer) =>
    void queryClient.setQueryData<KeptOffer | null>(KEY, (last) => ({ ...offer, number: (last?.number ?? 0) + 1 }))
}

export function UndoNotice() {
  const queryClient = useQueryClient()
  const offer = useKept(KEY, noOffer())
  if (offer === null) return null
  return <Notice key={offer.number} offer={offer} onClose={() => queryClient.setQueryData(KEY, null)} />
}

function Notice({ offer, onClose }: { offer: UndoOffer; onClose: () => void }) {
  const t = textsOf('parts.undo')
  const undo = useMutation({ mutationFn: offer.undo })
  const closing = { withCloseButton: true, closeButtonLabel: textsOf('parts')('close'), onClose }
  return (
    <section className="undo-notice" aria-label={t('label')}>
      {undo.data === undefined && (
        <Alert {...closing} color="green" variant="light" role="status" icon={<Icon name="check" />} title={offer.text}>
          {offer.help !== null && <p>{offer.help}</p>}
          {undo.isError && <ErrorAlert error={undo.error} />}
          <Button size="xs" variant="default" loading={undo.isPending} onClick={() => undo.mutate()}>
            {t('undo')}
          </Button>
        </Alert>
      )}
      {undo.data?.state === 'undone' && (
        <Alert {...closing} color="gray" variant="light" role="status" title={undo.data.text} />
      )}
      {undo.data?.state === 'refused' && (
        <Alert {...closing} color="yellow" variant="light" role="alert" title={undo.data.text}>
          {undo.data.help}
        </Alert>
      )}
    </section>
  )
}
