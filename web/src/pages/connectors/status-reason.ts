/** Removes the ISO time from the reason of the API, because the page shows it separately in local time. */
export const withoutNextRunTime = (reason: string, time: string | null): string =>
  time === null ? reason : reason.replace(` Until ${time}.`, '')
