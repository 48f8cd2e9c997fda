// Finds the known fields that an unknown name probably means.

/** Longer than any known field, so that very long names are never compared. */
const MAX_NAME = 64

/** Names that other services use for a field. */
const SYNONYMS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    apikey: ['api_key'],
    author: ['authors', 'primary_owners'],
    authors: ['primary_owners'],
    body: ['sections', 'text'],
    ccpair: ['cc_pair_id', 'cc_pair_ids'],
    collection: ['document_sets'],
    config: ['connector_specific_config'],
    connectorname: ['name'],
    content: ['sections', 'text'],
    contents: ['sections', 'text'],
    count: ['num_hits', 'limit', 'page_size'],
    date: ['doc_updated_at', 'time_cutoff'],
    docid: ['id', 'document_id'],
    docids: ['document_ids'],
    documentid: ['id'],
    email: ['user_email'],
    emails: ['external_user_emails'],
    expiresat: ['expiration_days'],
    expiresin: ['expiration_days'],
    from: ['offset'],
    group: ['user_group_ids', 'groups'],
    groupids: ['user_group_ids', 'groups'],
    groups: ['user_group_ids', 'external_user_group_ids'],
    heading: ['title'],
    interval: ['refresh_freq'],
    k: ['num_hits'],
    keyname: ['name'],
    apikeyname: ['name'],
    lastmodified: ['doc_updated_at'],
    limit: ['num_hits', 'page_size'],
    mail: ['user_email', 'email'],
    maxresults: ['num_hits', 'limit', 'page_size'],
    model: ['model_name'],
    modifiedat: ['doc_updated_at'],
    n: ['num_hits'],
    name: ['semantic_identifier', 'model_name', 'title'],
    numresults: ['num_hits', 'limit', 'page_size'],
    owner: ['primary_owners', 'user_email'],
    owners: ['primary_owners'],
    page: ['page_num', 'offset', 'cursor'],
    pagenumber: ['page_num'],
    pagesize: ['num_hits', 'limit'],
    permission: ['scopes', 'access_type', 'external_access'],
    permissions: ['scopes', 'access_type', 'external_access'],
    perpage: ['page_size', 'num_hits', 'limit'],
    private: ['access_type', 'is_public'],
    public: ['is_public', 'access_type'],
    q: ['query'],
    rows: ['num_hits', 'limit'],
    schedule: ['refresh_freq'],
    size: ['num_hits', 'page_size', 'limit'],
    skip: ['offset'],
    sourcetype: ['source', 'sources'],
    sourcetypes: ['sources'],
    start: ['offset'],
    tags: ['metadata'],
    timezone: ['tz'],
    toolname: ['name'],
    topk: ['num_hits'],
    ttl: ['expiration_days'],
    user: ['user_email'],
    username: ['user_email'],
    updatedat: ['doc_updated_at'],
    visibility: ['access_type', 'is_public'],
  }),
)

/** Words that many fields share. A match of these words alone does not count. */
const COMMON_WORDS = new Set(
  'a all and at by count data default docs document enabled for from id in is item list max min mode name new num of old on only or size specific to type value with'.split(
    ' ',
  ),
)

interface NormalizedName {
  words: readonly string[]
  joinedWords: string
}

/** Similar fields, best match first. */
export function similarFields(name: string, fields: readonly string[]): string[] {
  if (name.length > MAX_NAME || !NAME_PATTERN.test(name)) return []
  const sentName = normalizeName(name)
  if (sentName.joinedWords === '') return []
  const synonyms = SYNONYMS.get(joinWords(name)) ?? []
  const ranked = fields.flatMap((field) => {
    const rank = similarityRank(sentName, normalizeName(field), synonyms.indexOf(field))
    return rank === null ? [] : [{ field, rank }]
  })
  return ranked.sort((a, b) => a.rank - b.rank).map((it) => it.field)
}

function similarityRank(sent: NormalizedName, field: NormalizedName, synonym: number): number | null {
  if (sent.joinedWords === field.joinedWords) return 0
  if (synonym >= 0) return 1 + synonym
  if (isTypo(sent.joinedWords, field.joinedWords)) return 10
  if (isWordSubset(sent.words, field.words)) return 20
  return isWordSubset(field.words, sent.words) && sent.words.at(-1) === field.words.at(-1) ? 30 : null
}

/** Every word of `part` occurs in `whole`, and at least one of them is not a common word. */
const isWordSubset = (part: readonly string[], whole: readonly string[]) =>
  part.every((it) => whole.some((other) => isSameOrPrefix(it, other))) && part.some((it) => !COMMON_WORDS.has(it))

/** One word may be a prefix of the other, as `freq` of `frequency`. */
const isSameOrPrefix = (one: string, other: string) =>
  one === other || (Math.min(one.length, other.length) >= 4 && (one.startsWith(other) || other.startsWith(one)))

function isTypo(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length)
  if (shorter < 4) return false
  return isWithinEditDistance(one, other, shorter < 8 ? 1 : 2)
}

/** Optimal string alignment distance: insertions, deletions, substitutions and adjacent transpositions. */
function isWithinEditDistance(one: string, other: string, edits: number): boolean {
  if (Math.abs(one.length - other.length) > edits) return false
  let twoRowsAbove: number[] = []
  let rowAbove = Array.from({ length: other.length + 1 }, (_, at) => at)
  let distance = other.length
  for (let row = 1; row <= one.length; row++) {
    let diagonal = row - 1
    distance = row
    const currentRow = [distance]
    for (const [before, above] of rowAbove.slice(1).entries()) {
      const isSame = one[row - 1] === other[before]
      distance = Math.min(above + 1, distance + 1, diagonal + (isSame ? 0 : 1))
      const twoAbove = twoRowsAbove[before - 1]
      const isTransposition = one[row - 1] === other[before - 1] && one[row - 2] === other[before]
      if (twoAbove !== undefined && isTransposition) distance = Math.min(distance, twoAbove + 1)
      currentRow.push(distance)
      diagonal = above
    }
    twoRowsAbove = rowAbove
    rowAbove = currentRow
  }
  return distance <= edits
}

const normalizedNames = new Map<string, NormalizedName>()
const MAX_NORMALIZED_NAMES = 2_000

/** No field name contains other characters. */
const NAME_PATTERN = /^[\w .-]+$/

/** `userEmails`, `user-email` and `User_Email` give the same two words. */
function normalizeName(name: string): NormalizedName {
  const known = normalizedNames.get(name)
  if (known !== undefined) return known
  const words = splitWords(name).map(singular)
  const spelling = { words, joinedWords: words.join('') }
  if (normalizedNames.size >= MAX_NORMALIZED_NAMES) normalizedNames.clear()
  normalizedNames.set(name, spelling)
  return spelling
}

const joinWords = (name: string) => splitWords(name).join('')

const splitWords = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((it) => it !== '')

function singular(word: string): string {
  if (word.length < 3 || word.endsWith('ss') || !word.endsWith('s')) return word
  return word.endsWith('ies') && word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1)
}
