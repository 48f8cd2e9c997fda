const DAY_MS = 86_400_000

/** In the words in which the service groups what it finds; days are those of the person. */
export function dayGroup(at: Date, now: Date): string {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const days = Math.ceil((midnight - at.getTime()) / DAY_MS)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days <= 7) return 'This Week'
  return days <= 30 ? 'This Month' : 'Older'
}
