// Tells whether a query asks for something recent, in English and in German.

const RECENT = new Set(
  `latest newest recent recently today yesterday tonight
   neueste neuester neuestes neuesten neuestem neuste neuster neustes neusten neustem aktuell aktuelle aktueller aktuelles
   aktuellen aktuellem jüngste jüngster jüngstes jüngsten kürzlich neulich heute heutige heutiger heutigen gestern gestrige`
    .trim()
    .split(/\s+/),
)
const NEAR = new Set(
  `this last past current
   diese dieser dieses diesen diesem letzte letzter letztes letzten letztem vergangene vergangener vergangenen`
    .trim()
    .split(/\s+/),
)
const PERIODS = new Set(
  'week weeks month months year quarter days woche wochen monat monats monate monaten jahr jahres jahr quartal quartals tage tagen'.split(
    ' ',
  ),
)

const MAX_EXAMINED = 500

/** "This week" and the current year ask for something recent, and so does "latest". */
export function asksForRecent(query: string, now: number): boolean {
  const words =
    query
      .slice(0, MAX_EXAMINED)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const year = String(new Date(now).getUTCFullYear())
  return words.some(
    (word, at) => RECENT.has(word) || word === year || (NEAR.has(word) && PERIODS.has(words[at + 1] ?? '')),
  )
}
