// Why the oldest change waited: at the point below the pointer, or the one that waited longest.
import type { OverviewPoint } from '../../../../src/client/schemas.ts'
import { textsOf } from '../../text/texts.ts'

export function WaitReason({ points, point }: { points: readonly OverviewPoint[]; point: OverviewPoint | undefined }) {
  const t = textsOf('admin.overview.wait_reasons')
  const { oldest_waiting_reason: reason, oldest_waiting_detail: detail } = point ?? longestOf(points)
  if (reason === null) return null
  return (
    <p className="plot-reason small dimmed" dir="auto">
      {detail === null ? t(reason) : t(`${reason}_detail`, { detail })}
    </p>
  )
}

const longestOf = (points: readonly OverviewPoint[]) =>
  points.reduce(
    (longest, it) => ((it.oldest_waiting_s ?? -1) > (longest.oldest_waiting_s ?? -1) ? it : longest),
    points[0] ?? NONE,
  )

const NONE: Pick<OverviewPoint, `oldest_waiting_${'s' | 'reason' | 'detail'}`> = {
  oldest_waiting_s: null,
  oldest_waiting_reason: null,
  oldest_waiting_detail: null,
}
