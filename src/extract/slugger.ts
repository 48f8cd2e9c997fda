// Generates heading anchors like Markdown renderers.

/** Repeated headings get the suffix `-1`, `-2` … */
export function createSlugger(): (heading: string) => string | null {
  const seen = new Map<string, number>()
  return (heading) => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    if (slug === '') return null
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return encodeURIComponent(count === 0 ? slug : `${slug}-${count}`)
  }
}
