// Finds navigation blocks such as "Prev | Up | Home | Next" and tables of contents of the page itself.
// Other link lists are content: on many pages there is nothing else.
import {
  attributeValue,
  findElement,
  type HtmlDocument,
  type HtmlElement,
  isElement,
  isText,
  walkTree,
} from './html-tree.ts'

/** Texts of paging links, in lower case and without surrounding symbols. */
const PAGING_TEXTS = splitWords(`
  prev|previous|previous page|previous chapter|previous section|previous topic|back|backward|next|next page|next chapter
  next section|next topic|forward|newer|older|newer posts|older posts|up|top|level up|parent
  zurück|vor|weiter|vorherige|vorherige seite|vorheriges kapitel|nächste|nächste seite|nächstes kapitel|hoch|nach oben
  précédent|page précédente|chapitre précédent|suivant|page suivante|chapitre suivant|niveau supérieur|remonter
  anterior|página anterior|capítulo anterior|siguiente|página siguiente|subir|arriba|próximo|próxima|acima|subindo
  indietro|avanti|precedente|successivo|successiva|prossimo|prossima|risali
  vorige|volgende|terug|verder|omhoog|föregående|nästa|upp|forrige|neste|næste|opp|op|edellinen|seuraava|ylös
  poprzedni|poprzednia|następny|następna|w górę|předchozí|předcházející|další|následující|nahoru|predošlá|ďalšia
  előző|következő|fel|önceki|sonraki|yukarı|înapoi|înainte|sus|προηγούμενο|επόμενο|πάνω
  пред|предыдущая|предыдущий|след|следующая|следующий|назад|вперед|вперёд|наверх|уровень выше|попередня|наступна|вгору
  前|次|前へ|次へ|前のページ|次のページ|戻る|進む|上へ|上に戻る|上一页|下一页|上一頁|下一頁|上一级|上一级页面|上一章|下一章|上一节|下一节|上一层|后退|前进
  이전|다음|위로|이전 페이지|다음 페이지|trước|tiếp|sau|lên|السابق|التالي|أعلى|הקודם|הבא|למעלה
`)
/** Texts of links that accompany paging links. */
const SITE_LINK_TEXTS = splitWords(`
  home|start|begin|beginning|first|last|contents|table of contents|toc|index|general index|module index|modules|search|help
  startseite|anfang|inhalt|inhaltsverzeichnis|stichwortverzeichnis|erste|letzte|accueil|début|sommaire|table des matières
  inicio|índice|contenido|tabla de contenidos|início|principal|índice geral|conteúdo|partenza|inizio|indice|sommario
  thuis|inhoud|inhoudsopgave|register|hem|innehåll|hjem|indhold|innhold|alkuun|sisällys|początek|spis treści|indeks
  domů|obsah|rejstřík|tartalom|kezdőlap|ana sayfa|içindekiler|dizin|acasă|cuprins|αρχή|περιεχόμενα
  начало|содержание|оглавление|главная|на главную|указатель|початок|зміст|головна
  ホーム|目次|索引|最初|最後|首页|首頁|起始页|目录|目錄|索引页|홈|처음으로|목차|색인|trang chủ|mục lục|الرئيسية|الفهرس|בית|תוכן
`)

function splitWords(text: string): ReadonlySet<string> {
  const words = text.split(/[|\n]/).map((it) => it.trim())
  return new Set(words.filter((it) => it !== ''))
}

const PAGING_RELATIONS = new Set(['prev', 'previous', 'next', 'up'])
const SITE_LINK_RELATIONS = new Set(['home', 'start', 'contents', 'toc', 'index', 'first', 'last', 'glossary'])
/** Elements that can be a navigation block. Table cells and list items alone cannot. */
const CANDIDATES = new Set(['table', 'div', 'p', 'ul', 'ol', 'dl', 'center', 'section', 'menu', 'span'])
const CONTENTS_NAME = /(?:^|[\s_-])toc(?:$|[\s_-])/i

/** Counts of links and texts in an element and its descendants. */
interface BlockCounts {
  turning: number
  places: number
  /** Other links and other words. */
  other: number
  /** Texts outside links. */
  texts: number
  /** Links within the page (`own`) and to other pages (`foreign`). */
  own: number
  foreign: number
}

/** Takes time linear in the size of the page. */
export function findNavigation(document: HtmlDocument): ReadonlySet<HtmlElement> {
  const hints = collectHints(document)
  const ids = lazyIds(document)
  const found = new Set<HtmlElement>()
  const all = zeroCounts()
  const open: { node: HtmlElement; count: BlockCounts; isContents: boolean }[] = []
  /** Number of enclosing tables of contents. */
  let openContents = 0
  const current = () => open.at(-1)?.count ?? all
  let openLink: OpenLink | null = null
  let label = ''

  const countContent = (text: string) => {
    if (openLink !== null) openLink.text += text.slice(0, MAX_TEXT)
    else label = countText(text, current(), label, hints)
  }
  walkTree(document, {
    enter(node) {
      if (isText(node) && !isBlank(node.data)) countContent(node.data)
      if (!isElement(node) || node.name === 'script' || node.name === 'style') return false
      const isCandidate = CANDIDATES.has(node.name)
      const isContents = isCandidate && CONTENTS_NAME.test(classAndId(node))
      if (isContents) openContents++
      // Content of other elements counts for the enclosing candidate.
      open.push({ node, count: isCandidate ? zeroCounts() : current(), isContents })
      if (openLink === null && node.name === 'a' && attributeValue(node, 'href') !== '')
        openLink = { element: node, text: '' }
      if (node.name === 'img') countContent(attributeValue(node, 'alt'))
      else if (CONTENT_ELEMENTS.test(node.name)) current().other++
      return true
    },
    leave(node) {
      const closed = open.pop()
      if (closed === undefined) return
      if (openLink !== null && openLink.element === node) {
        countLink(openLink, closed.count, label, { ...hints, ids: openContents > 0 ? ids() : NO_IDS })
        openLink = null
        label = ''
      }
      if (closed.isContents) openContents--
      if (!CANDIDATES.has(closed.node.name)) return
      if (isNavigation(closed.count) || (closed.isContents && isTableOfContents(closed.count))) found.add(closed.node)
      else addCounts(current(), closed.count)
    },
  })
  return found
}

interface OpenLink {
  element: HtmlElement
  text: string
}

/** Elements that make a block more than navigation. */
const CONTENT_ELEMENTS = /^(?:h[1-6]|pre|form|video|audio|object)$/
const MAX_TEXT = 500
const isBlank = (text: string): boolean => text.length < 40 && text.trim() === ''
const MAX_TITLE = 200
const zeroCounts = (): BlockCounts => ({ turning: 0, places: 0, other: 0, texts: 0, own: 0, foreign: 0 })

function addCounts(to: BlockCounts, { turning, places, other, texts, own, foreign }: BlockCounts): void {
  to.turning += turning
  to.places += places
  to.other += other
  to.texts += texts
  to.own += own
  to.foreign += foreign
}

interface PageHints {
  /** URLs of the previous, next and parent page, from link elements in the head. */
  neighbours: Set<string>
  /** Titles of this page and its neighbours. */
  titles: Set<string>
}

function collectHints(document: HtmlDocument): PageHints {
  const hints: PageHints = { neighbours: new Set(), titles: new Set() }
  const head = findElement(document, (it) => it.name === 'head' || it.name === 'body')
  if (head === null || head.name === 'body') return hints
  walkTree(head, {
    enter(node) {
      if (!isElement(node)) return false
      const [text] = node.name === 'title' ? node.childNodes : []
      if (text !== undefined && isText(text)) hints.titles.add(normalizeLinkText(text.data))
      if (node.name !== 'link' || kindOfRelation(node) === null) return true
      hints.neighbours.add(attributeValue(node, 'href').trim())
      hints.titles.add(normalizeLinkText(attributeValue(node, 'title')))
      return true
    },
  })
  return hints
}

/** Lazy, because few pages have a table of contents. */
function lazyIds(document: HtmlDocument): () => ReadonlySet<string> {
  let ids: Set<string> | null = null
  return () => {
    if (ids !== null) return ids
    const all = new Set<string>()
    walkTree(document, {
      enter(node) {
        if (!isElement(node)) return false
        const id = attributeValue(node, 'id') || (node.name === 'a' ? attributeValue(node, 'name') : '')
        if (id !== '') all.add(id)
        return true
      },
    })
    ids = all
    return all
  }
}

type NavigationLinkKind = 'turning' | 'places'

function kindOfRelation(element: HtmlElement): NavigationLinkKind | null {
  const words = attributeValue(element, 'rel').slice(0, 200).toLowerCase().split(/\s+/)
  if (words.some((it) => PAGING_RELATIONS.has(it))) return 'turning'
  return words.some((it) => SITE_LINK_RELATIONS.has(it)) ? 'places' : null
}

/**
 * Strips surrounding symbols: `<< Prev |` becomes `prev`. Written without a regular expression for speed, because it
 * runs for every text.
 */
function normalizeLinkText(text: string): string {
  let [from, to] = [0, Math.min(text.length, MAX_TEXT)]
  while (from < to && !isWordCharacter(text.charCodeAt(from))) from++
  while (to > from && !isWordCharacter(text.charCodeAt(to - 1))) to--
  return text.slice(from, to).replaceAll('\u00a0', ' ').replaceAll('\n', ' ').toLowerCase()
}

/** Approximates letters and digits of all scripts by excluding the Unicode blocks of symbols. */
function isWordCharacter(code: number): boolean {
  if (code < 0x80) return (code > 0x2f && code < 0x3a) || (code > 0x40 && code < 0x5b) || (code > 0x60 && code < 0x7b)
  if (code < 0xc0) return false
  return !((code >= 0x2000 && code < 0x2c00) || (code >= 0x3000 && code < 0x3040) || (code >= 0xfe00 && code < 0xfe70))
}

function kindOfLinkText(text: string): NavigationLinkKind | null {
  if (PAGING_TEXTS.has(text)) return 'turning'
  return SITE_LINK_TEXTS.has(text) || /^\d{1,4}$/.test(text) ? 'places' : null
}

/** Returns the label for the following link, such as `Next:` before a title. */
function countText(data: string, count: BlockCounts, label: string, { titles }: PageHints): string {
  // A block with prose is never navigation.
  if (count.other > 0) {
    count.texts++
    return ''
  }
  const trimmed = data.trim()
  // Long texts are prose.
  const text = trimmed.length > MAX_TITLE ? null : normalizeLinkText(trimmed)
  if (text === '') return label
  count.texts++
  if (text !== null && kindOfLinkText(text) !== null) return text
  if (text === null || !titles.has(text)) count.other++
  return ''
}

const ARROW = /^[<>«»‹›←→↑⇐⇒⇑◀▶▲△]{1,3}$/

const NO_IDS: ReadonlySet<string> = new Set()

function countLink(
  { element, text }: OpenLink,
  count: BlockCounts,
  label: string,
  { ids, neighbours, titles }: PageHints & { ids: ReadonlySet<string> },
): void {
  const address = attributeValue(element, 'href').trim()
  const hash = address.indexOf('#')
  count[hash === 0 || (hash > 0 && ids.has(address.slice(hash + 1))) ? 'own' : 'foreign']++
  if (count.other > 0) return
  const kind = kindOfRelation(element) ?? kindOfLinkText(normalizeLinkText(text)) ?? kindOfLinkText(label)
  if (kind !== null) {
    count[kind]++
    titles.add(normalizeLinkText(attributeValue(element, 'title')))
  } else if (neighbours.has(address) || ARROW.test(text.trim())) count.places++
  else count.other++
}

const isNavigation = ({ turning, places, other }: BlockCounts): boolean =>
  turning > 0 && turning + places > 1 && other === 0

/** A table of contents of the page has mostly internal links and little other text. */
const isTableOfContents = ({ own, foreign, texts }: BlockCounts): boolean => own >= foreign && texts <= 2 * own + 10

const classAndId = (element: HtmlElement): string => {
  const names = `${attributeValue(element, 'class')} ${attributeValue(element, 'id')}`
  return names.length > 1 ? names.slice(0, 600) : ''
}
