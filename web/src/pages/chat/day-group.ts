const DAY_MS = 86_400_000

export type DayGroup = 'today' | 'yesterday' | 'week' | 'month' | 'older'

/** Days are in the user's time zone. */
export function dayGroup(at: Date, now: Date): DayGroup {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const days = Math.ceil((midnight - at.getTime()) / DAY_MS)
  if (days <= 0) return 'today'
  if (days === 1) return 'yesterday'
  if (days <= 7) return 'week'
  return days <= 30 ? 'month' : 'older'
}
