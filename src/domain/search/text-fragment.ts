// Links to a text in a page that has no id.

/** Begins the fragment of such a link. */
export const TEXT_FRAGMENT = ':~:text='

/** The link without its text. Sections that differ only in it are on one page, and in one place as far as ids tell. */
export const withoutTextFragment = (link: string): string => {
  const at = link.indexOf(TEXT_FRAGMENT)
  return at === -1 ? link : link.slice(0, at).replace(/#$/, '')
}
