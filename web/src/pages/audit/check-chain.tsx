import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { checkAuditChain } from '../../../../src/client/operations.ts'
import type { AuditCheck } from '../../../../src/client/schemas.ts'
import { api } from '../../api.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorAlert } from '../../parts/states.tsx'
import { formatCount } from '../../parts/text.tsx'

/** Reads the whole audit, so it runs only when it is asked for. */
export function CheckChain() {
  const [isOpen, setIsOpen] = useState(false)
  const check = useMutation({ mutationFn: () => checkAuditChain(api), onSettled: () => setIsOpen(true) })
  return (
    <>
      <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
        Check entries
      </Button>
      {isOpen && (
        <Dialog title="Check of the entries" onClose={() => setIsOpen(false)}>
          {check.isError && <ErrorAlert error={check.error} />}
          {check.data !== undefined && <Verdict check={check.data} />}
          <div className="dialog-buttons">
            <Button onClick={() => setIsOpen(false)}>Close</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

const Verdict = ({ check }: { check: AuditCheck }) => (
  <>
    <p role="status">
      {check.broken_at === null
        ? `No entry was changed, and none is missing between the first and the last. Entries: ${formatCount(check.entries)}.`
        : `Entry ${check.broken_at} was changed, or an entry before it was removed.`}
    </p>
    {check.last_hash !== null && (
      <p className="small dimmed long-text">
        The last entry is {check.last_id} with the hash <code>{check.last_hash}</code>. Compare it with the log of the
        service, if that is kept elsewhere.
      </p>
    )}
  </>
)
