const DAY_MS = 86_400_000

/** Uses the group titles of the service; days are in the user's time zone. */
export function dayGroup(at: Date, now: Date): string {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const days = Math.ceil((midnight - at.getTime()) / DAY_MS)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days <= 7) return 'This Week'
  return days <= 30 ? 'This Month' : 'Older'
}
