// Finds the regular expressions of the program: literals and arguments of `new RegExp`.
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { type ESTree, parseSync, Visitor } from 'vite'

export interface Expression {
  /** File and line. */
  place: string
  source: string
  flags: string
}

/** An expression that contains something other than constants and escaped text. */
export interface Unknown {
  place: string
  code: string
}

/** Stands for an escaped text that is known only at run time. */
const ESCAPED = 'escaped'
const IS_TEST = /\.(?:test|fixture)\.tsx?$/

export function sourceFiles(): string[] {
  const within = ['src', 'start', 'web/src', 'web/public'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((it) => /\.(?:[cm]?[jt]s|[jt]sx)$/.test(it) && !IS_TEST.test(it))
      .map((it) => `${folder}/${it}`),
  )
  return [...within, 'start.mjs'].sort()
}

export function expressionsIn(file: string, text: string): { expressions: Expression[]; unknown: Unknown[] } {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]!.message}`)
  const constants = constantsOf(program)
  const expressions: Expression[] = []
  const unknown: Unknown[] = []
  const placeOf = (start: number) => `${file}:${text.slice(0, start).split('\n').length}`
  const made = (node: ESTree.NewExpression | ESTree.CallExpression) => {
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return
    const [source, flags] = [node.arguments[0], node.arguments[1]].map((it) => it && textOf(it, constants))
    const isKnown = typeof source === 'string' && (node.arguments.length < 2 || typeof flags === 'string')
    if (isKnown) expressions.push({ place: placeOf(node.start), source, flags: flags ?? '' })
    else unknown.push({ place: placeOf(node.start), code: text.slice(node.start, node.end) })
  }
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return
      expressions.push({ place: placeOf(node.start), source: node.regex.pattern, flags: node.regex.flags })
    },
    NewExpression: made,
    CallExpression: made,
  }).visit(program)
  return { expressions, unknown }
}

/** The name of the expression in the cache. */
export const nameOf = ({ source, flags }: Pick<Expression, 'source' | 'flags'>, version: string): string =>
  createHash('sha256')
    .update(JSON.stringify([version, source, flags]))
    .digest('hex')
    .slice(0, 32)

type Constants = ReadonlyMap<string, ESTree.Expression>

/** Constants at the top of a file. */
function constantsOf(program: ESTree.Program): Constants {
  const declarations = program.body.flatMap((it) => {
    const inner = it.type === 'ExportNamedDeclaration' ? it.declaration : it
    return inner?.type === 'VariableDeclaration' && inner.kind === 'const' ? inner.declarations : []
  })
  return new Map(
    declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && init !== null ? [[id.name, init] as const] : [],
    ),
  )
}

/** Returns the value of an expression in the source if it is a constant or made of escaped text. */
function textOf(node: ESTree.Node, constants: Constants): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'Identifier') {
    const constant = constants.get(node.name)
    return constant && textOf(constant, constants)
  }
  if (node.type === 'TemplateLiteral') return templateText(node, constants, 'cooked')
  if (node.type === 'TaggedTemplateExpression') {
    return isMember(node.tag, 'String', 'raw') ? templateText(node.quasi, constants, 'raw') : undefined
  }
  return node.type === 'CallExpression' ? calledText(node, constants) : undefined
}

function templateText(node: ESTree.TemplateLiteral, constants: Constants, kind: 'cooked' | 'raw'): string | undefined {
  const values = node.expressions.map((it) => textOf(it, constants))
  if (values.includes(undefined)) return undefined
  return node.quasis.map((it, at) => `${it.value[kind]}${values[at] ?? ''}`).join('')
}

/** `RegExp.escape(…)`, and a list of constants or of escaped texts that is joined. */
function calledText(node: ESTree.CallExpression, constants: Constants): string | undefined {
  const { callee } = node
  if (isMember(callee, 'RegExp', 'escape')) return ESCAPED
  if (callee.type !== 'MemberExpression' || !isNamed(callee, 'join')) return undefined
  const [separator] = node.arguments
  const between = separator && textOf(separator, constants)
  const items = itemsOf(callee.object, constants)
  return between === undefined || items === undefined ? undefined : items.join(between)
}

function itemsOf(node: ESTree.Node, constants: Constants): string[] | undefined {
  if (node.type === 'ArrayExpression') {
    const items = node.elements.map((it) => (it === null ? undefined : textOf(it, constants)))
    return items.every((it) => it !== undefined) ? items : undefined
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined
  const [step] = node.arguments
  const escapes = step?.type === 'ArrowFunctionExpression' && textOf(step.body, constants) === ESCAPED
  return isNamed(node.callee, 'map') && escapes ? [`${ESCAPED}a`, `${ESCAPED}b`] : undefined
}

const isNamed = (node: ESTree.MemberExpression, name: string): boolean =>
  node.property.type === 'Identifier' && node.property.name === name

const isMember = (node: ESTree.Node, object: string, name: string): boolean =>
  node.type === 'MemberExpression' &&
  node.object.type === 'Identifier' &&
  node.object.name === object &&
  isNamed(node, name)
