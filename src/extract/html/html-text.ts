import { Parser } from 'htmlparser2'

const HIDDEN_ELEMENTS = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head'])
/** Block elements, which start a new line. */
const BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt fieldset figcaption footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
)

/** Returns the visible text of a page and its title. */
export function htmlText(html: string): { title: string | undefined; text: string } {
  let hiddenDepth = 0
  let isTitle = false
  let title = ''
  let text = ''
  const parser = new Parser({
    onopentag(name) {
      if (HIDDEN_ELEMENTS.has(name)) hiddenDepth++
      if (name === 'title') isTitle = true
      if (BLOCKS.has(name)) text += '\n'
    },
    ontext(piece) {
      if (isTitle) title += piece
      else if (hiddenDepth === 0) text += piece.replace(/\s+/g, ' ')
    },
    onclosetag(name) {
      if (HIDDEN_ELEMENTS.has(name)) hiddenDepth--
      if (name === 'title') isTitle = false
      if (BLOCKS.has(name)) text += '\n'
    },
  })
  parser.end(html)
  return { title: title.replace(/\s+/g, ' ').trim() || undefined, text: text.replace(/ ?\n\s*/g, '\n').trim() }
}
