import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { deleteLimit } from '../../../../src/client/operations.ts'
import type { UsageLimit } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { limitName } from './limit-text.ts'
import { useReloadLimits } from './limits-query.ts'

export function DeleteLimit({ limit, onClose }: { limit: UsageLimit; onClose: () => void }) {
  const reload = useReloadLimits()
  const remove = useMutation({
    mutationFn: () => deleteLimit(api, { limit_id: limit.id }),
    onSuccess: async () => {
      await reload()
      onClose()
    },
  })
  return (
    <Dialog title="Delete the limit?" onClose={onClose}>
      <p>{limitName(limit)}: this limit no longer applies. This cannot be undone.</p>
      {remove.isError && <ErrorAlert error={remove.error} />}
      <div className="dialog-buttons">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete limit
        </Button>
      </div>
    </Dialog>
  )
}
