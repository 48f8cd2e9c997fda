import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { deleteLimit } from '../../../../src/client/operations.ts'
import type { UsageLimit } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { textsOf } from '../../text/texts.ts'
import { limitName } from './limit-text.ts'
import { useReloadLimits } from './limits-query.ts'

export function DeleteLimit({ limit, onClose }: { limit: UsageLimit; onClose: () => void }) {
  const t = textsOf('admin.limits.delete')
  const reload = useReloadLimits()
  const remove = useMutation({
    mutationFn: () => deleteLimit(api, { limit_id: limit.id }),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  return (
    <Dialog title={t('title')} onClose={onClose}>
      <p>{t('help', { name: limitName(limit) })}</p>
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          {textsOf('parts')('cancel')}
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          {t('confirm')}
        </Button>
      </div>
    </Dialog>
  )
}
