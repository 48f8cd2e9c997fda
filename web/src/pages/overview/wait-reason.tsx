// Why the oldest change waited: at the point below the pointer, or the last time that one waited.
import type { OverviewPoint } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'

export function WaitReason({ points, point }: { points: readonly OverviewPoint[]; point: OverviewPoint | undefined }) {
  const t = textsOf('admin.overview.wait_reasons')
  const { oldest_waiting_reason: reason, oldest_waiting_detail: detail } =
    point ?? points.findLast((it) => it.oldest_waiting_reason !== null) ?? NONE
  if (reason === null) return null
  return (
    <p className="plot-reason small dimmed" dir="auto">
      {detail === null ? t(reason) : t(`${reason}_detail`, { detail })}
    </p>
  )
}

const NONE = { oldest_waiting_reason: null, oldest_waiting_detail: null }
