// Reads from the syntax tree of a file which texts it uses, and which it has in its code.
import { parseSync } from 'vite'

export interface TextUses {
  /** Keys that the file names, and the arguments it gives; null if they cannot be read from the code. */
  keys: { key: string; given: string[] | null }[]
  /** Beginnings of keys: the rest is decided when the page runs. */
  prefixes: string[]
  /** Calls whose key is neither a literal nor begins with one. */
  unreadable: string[]
  /** Texts for people that are written into the code. */
  written: string[]
}

interface Node {
  type: string
  start: number
  end: number
  [name: string]: unknown
}

/** Attributes and properties that people read or hear. */
const SHOWN =
  /^(?:aria-(?:label|description|roledescription|valuetext)|label|longLabel|title|placeholder|description|alt|error|message|text|hint|help|heading|caption|unit|none|empty|name)$/
/** Names of these properties are often for programs; a capital letter or a space tells a text from a name. */
const MAY_BE_A_NAME = /^(?:name|text|unit|empty|none|error|message|label|title)$/
const LETTERS = /\p{L}{2}/u
/** Two words with a space between them. */
const PHRASE = /\p{L}{2}[,.:;!?…]? \p{L}/u
/** Attributes whose words are for programs: classes, styles, roles, addresses, drawings. */
const FOR_PROGRAMS =
  /^(?:class(?:Name)?|classNames|style|styles|id|rel|role|d|viewBox|transform|points|autoComplete|accept|sizes|href|src|queryKey|gridTemplateColumns|[mp][trblxy]?|[wh]|c|bg|fw|ff|tt|size|variant|color)$/

export function readTextUses(file: string, code: string): TextUses {
  const found: TextUses = { keys: [], prefixes: [], unreadable: [], written: [] }
  const { program } = parseSync(file, code)
  const namespaces = namespacesOf(code)
  if (!isNode(program)) throw new Error(`${file} has no syntax tree`)
  visit(program, [], (node, above) => {
    readCall(node, namespaces, code, found)
    const text = writtenText(node, above)
    if (text !== null) found.written.push(text)
  })
  return found
}

function visit(node: Node, above: readonly Node[], see: (node: Node, above: readonly Node[]) => void): void {
  see(node, above)
  const path = [node, ...above]
  for (const it of Object.values(node)) for (const child of [it].flat()) if (isNode(child)) visit(child, path, see)
}

/** One child by its name. */
function child(node: Node, name: string): Node | undefined {
  const it = node[name]
  return isNode(it) ? it : undefined
}

const children = (node: Node, name: string): Node[] => [node[name]].flat().filter(isNode)

const isNode = (it: unknown): it is Node => typeof it === 'object' && it !== null && 'type' in it && 'start' in it

/** By name of the variable: `const t = textsOf('search')`, or a parameter of type `Texts<'search'>`. */
function namespacesOf(code: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  const add = (name: string, namespace: string) => found.set(name, (found.get(name) ?? new Set()).add(namespace))
  for (const [, name = '', namespace = ''] of code.matchAll(/\b(\w{1,40}) = textsOf\('([\w.-]{1,80})'\)/g))
    add(name, namespace)
  for (const [, name = '', namespace = ''] of code.matchAll(/\b(\w{1,40})\??: Texts<'([\w.-]{1,80})'>/g))
    add(name, namespace)
  return found
}

function readCall(node: Node, namespaces: Map<string, Set<string>>, code: string, found: TextUses): void {
  if (node.type !== 'CallExpression') return
  const [key, values] = children(node, 'arguments')
  const callee = child(node, 'callee')
  if (callee === undefined || key === undefined) return
  for (const namespace of namespacesOfCallee(callee, namespaces)) {
    for (const it of keysOf(key)) readKey(it, namespace, values, code, found)
  }
}

/** The branches of a condition. */
function keysOf(key: Node): Node[] {
  const inner = ['consequent', 'alternate', 'expression'].flatMap((it) => children(key, it))
  const isBranching = /^(?:ConditionalExpression|TSAsExpression|ParenthesizedExpression)$/.test(key.type)
  return isBranching ? inner.flatMap(keysOf) : [key]
}

function readKey(key: Node, namespace: string, values: Node | undefined, code: string, found: TextUses): void {
  if (key.type === 'Literal' && typeof key.value === 'string')
    found.keys.push({ key: `${namespace}.${key.value}`, given: namesOf(values) })
  else if (key.type === 'TemplateLiteral') found.prefixes.push(`${namespace}.${textOf(key)?.split('{}', 1)[0] ?? ''}`)
  // `t(name)` with a variable may be any text of its namespace, which must then be a small one.
  else if (key.type === 'Identifier' || key.type === 'MemberExpression') found.prefixes.push(`${namespace}.`)
  else found.unreadable.push(code.slice(key.start, key.end))
}

/** `t(…)`, `t.rich(…)`, `t.has(…)`, `textsOf('search')(…)`. */
function namespacesOfCallee(callee: Node, namespaces: Map<string, Set<string>>): string[] {
  if (callee.type === 'Identifier') return [...(namespaces.get(String(callee.name)) ?? [])]
  const object = callee.type === 'MemberExpression' ? child(callee, 'object') : undefined
  if (object !== undefined) return namespacesOfCallee(object, namespaces)
  if (callee.type !== 'CallExpression' || child(callee, 'callee')?.name !== 'textsOf') return []
  return [String(children(callee, 'arguments')[0]?.value)]
}

function namesOf(values: Node | undefined): string[] | null {
  if (values === undefined) return []
  const properties = children(values, 'properties')
  if (values.type !== 'ObjectExpression' || properties.some((it) => it.type !== 'Property')) return null
  return properties.map((it) => child(it, 'key')).map((key) => String(key?.name ?? key?.value))
}

/** A text that people would see, or null. */
function writtenText(node: Node, above: readonly Node[]): string | null {
  if (node.type === 'JSXText') return LETTERS.test(String(node.value)) ? String(node.value).trim() : null
  const text = textOf(node)
  if (text === null || !LETTERS.test(text)) return null
  if (above.some((it) => isForPrograms(it))) return null
  const [attribute] = above.filter((it) => it.type === 'JSXAttribute' || it.type === 'Property').map((it) => nameOf(it))
  if (isShownAsChild(above)) return text
  if (PHRASE.test(text)) return text
  if (attribute === undefined || !SHOWN.test(attribute) || !isDirect(above)) return null
  return !MAY_BE_A_NAME.test(attribute) || /^\p{Lu}/u.test(text) ? text : null
}

/** A literal, or a template with `{}` for each expression in it. */
function textOf(node: Node): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type !== 'TemplateLiteral') return null
  return children(node, 'quasis')
    .map(({ value }) => cookedOf(value))
    .join('{}')
}

const cookedOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked) : ''

const nameOf = (it: Node): string => String(child(it, it.type === 'Property' ? 'key' : 'name')?.name ?? '')

const isForPrograms = (it: Node): boolean =>
  it.type === 'ImportDeclaration' ||
  it.type === 'ImportExpression' ||
  (it.type.startsWith('TS') &&
    it.type !== 'TSAsExpression' &&
    it.type !== 'TSNonNullExpression' &&
    it.type !== 'TSSatisfiesExpression') ||
  (it.type === 'JSXAttribute' && FOR_PROGRAMS.test(nameOf(it))) ||
  (it.type === 'NewExpression' && child(it, 'callee')?.name === 'Error') ||
  (it.type === 'CallExpression' && isCallForPrograms(child(it, 'callee')))

/** Calls whose texts are selectors, keys or names of events. */
const isCallForPrograms = (callee: Node | undefined): boolean =>
  /^(?:textsOf|t|querySelector|querySelectorAll|closest|matches|addEventListener|removeEventListener|getItem|setItem|removeItem|split|join|startsWith|endsWith|includes|replaceAll|matchMedia|rich|has|getPropertyValue|setProperty)$/.test(
    String(callee?.name ?? (callee && child(callee, 'property')?.name) ?? ''),
  )

/** A child of an element: `{isNew ? 'New' : 'Old'}`. */
function isShownAsChild(above: readonly Node[]): boolean {
  for (const [at, it] of above.entries()) {
    if (it.type === 'JSXExpressionContainer') return above[at + 1]?.type !== 'JSXAttribute'
    if (!['ConditionalExpression', 'LogicalExpression', 'TemplateLiteral', 'ParenthesizedExpression'].includes(it.type))
      return false
  }
  return false
}

/** The value of the attribute itself, or a branch of it; not an argument of a call in it. */
function isDirect(above: readonly Node[]): boolean {
  for (const it of above) {
    if (it.type === 'JSXAttribute' || it.type === 'Property') return true
    if (!['JSXExpressionContainer', 'ConditionalExpression', 'LogicalExpression', 'TemplateLiteral'].includes(it.type))
      return false
  }
  return false
}
