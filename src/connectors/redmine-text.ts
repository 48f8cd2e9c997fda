// Text of a Redmine, in Textile or Markdown, by its headings.

export interface TextSection {
  heading: string | null
  text: string
  /** As Redmine calls it in the page. */
  anchor: string | null
}

const HEADING = /^(?:h[1-6](?:\([^)]*\))?\.|#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$/
const FENCE = /^\s*(?:```|~~~|<\/?pre\b)/i

export function sectionsOfText(text: string): TextSection[] {
  const sections: TextSection[] = [{ heading: null, text: '', anchor: null }]
  let isCode = false
  for (const line of text.split(/\r?\n/)) {
    // One line may begin and end it.
    if (FENCE.test(line) && !/<pre\b.*<\/pre>/i.test(line)) isCode = !isCode
    const heading = isCode ? undefined : HEADING.exec(line)?.[1]
    if (heading === undefined) sections.at(-1)!.text += `${line}\n`
    else sections.push({ heading, text: '', anchor: anchorOf(heading) })
  }
  return sections.map((it) => ({ ...it, text: it.text.trim() })).filter((it) => it.text !== '' || it.heading !== null)
}

const anchorOf = (heading: string): string =>
  heading.replace(/[^\s\-\p{L}\p{M}\p{N}_]/gu, '').replace(/\s+(?:-+\s*)?/g, '-')
