// Converts dates found in files to ISO 8601 in UTC.

/** Null unless the date is between 1900 and 2200. */
export function isoDate(stated: string | undefined | null): string | null {
  if (!stated) return null
  const pdf = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-]\d\d)'?(\d\d)?)?/.exec(stated)
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', , zone, zoneMinutes = '00'] =
    pdf ?? []
  const text = pdf
    ? `${year}-${month}-${day}T${hour}:${minute}:${second}${zone ? `${zone}:${zoneMinutes}` : 'Z'}`
    : // Office omits the zone when it means UTC.
      stated.trim().replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/, '$1Z')
  const date = new Date(text)
  const inYear = date.getUTCFullYear()
  return inYear >= 1900 && inYear <= 2200 ? date.toISOString() : null
}
