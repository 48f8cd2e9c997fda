import { Parser } from 'htmlparser2'

const SILENT = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head'])
/** After these a new line begins. */
const BLOCKS = new Set(
  'address article aside blockquote br dd div dl dt fieldset figcaption footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
)

/** What a person would read on the page, and its title. */
export function htmlText(html: string): { title: string | undefined; text: string } {
  let silence = 0
  let isTitle = false
  let title = ''
  let text = ''
  const parser = new Parser({
    onopentag(name) {
      if (SILENT.has(name)) silence++
      if (name === 'title') isTitle = true
      if (BLOCKS.has(name)) text += '\n'
    },
    ontext(piece) {
      if (isTitle) title += piece
      else if (silence === 0) text += piece.replace(/\s+/g, ' ')
    },
    onclosetag(name) {
      if (SILENT.has(name)) silence--
      if (name === 'title') isTitle = false
      if (BLOCKS.has(name)) text += '\n'
    },
  })
  parser.end(html)
  return { title: title.replace(/\s+/g, ' ').trim() || undefined, text: text.replace(/ ?\n\s*/g, '\n').trim() }
}
