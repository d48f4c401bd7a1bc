import MarkdownIt, { type Env, type Token } from 'markdown-it'

/** An opening element: only these have attributes, and only links and lists have one each. */
export interface OpeningElement {
  readonly tag: string
  /** As the host wrote it. */
  readonly href?: string
  readonly start?: number
}

/** An element opens, a text, an element closes. */
export type GuideOp = OpeningElement | string | null

/** A part of the guide rendered in one go. */
export interface GuidePiece {
  /** Complete elements: one cut in the middle is closed here and reopened in the next piece. */
  readonly ops: readonly GuideOp[]
  /** Characters of the source processed so far. */
  readonly processedChars: number
}

/**
 * A piece ends between two blocks at the first weight, inside a long list or table at the second, and anywhere at the last. A character
 * weighs 1; an element as much as it takes longer to render.
 */
const TARGET_WEIGHT = 24_000
const CUT_WEIGHT = 32_000
const MAX_WEIGHT = 40_000
const ELEMENT_WEIGHT = 20

function markdownIt(rules: readonly string[]) {
  const made = new MarkdownIt({ html: false, linkify: false })
  made.disable('image')
  // Web addresses, anchors in the guide, and files next to it; everything else becomes text: javascript:, data:, file:, smb: …
  made.validateLink = (url) => /^https?:\/\//i.test(url) || /^(?![\\/]{2})[^:]*(?:#.*)?$/.test(url)
  made.core.ruler.enableOnly([...rules])
  return made
}

/** Finds the blocks of the whole text, which is quick; their contents are parsed block by block. */
const blocks = markdownIt(['normalize', 'block'])
const inlines = markdownIt(['inline', 'text_join'])

/**
 * The guide piece by piece, each short enough to render within one frame whatever the text is: a list, table, paragraph or line of any
 * length is cut. Raw HTML stays text.
 */
export function* splitGuide(markdown: string): Generator<GuidePiece, void, undefined> {
  const env: Env = {}
  const tokens = blocks.parse(markdown, env)
  const starts = lineStarts(markdown)
  const sheet = new Sheet()
  let begin = 0
  let at = 0
  for (const token of tokens) {
    if (token.map) begin = Math.max(begin, starts[token.map[0]] ?? markdown.length)
    const end = token.map ? (starts[token.map[1]] ?? markdown.length) : begin
    const inside = token.type === 'inline' ? inlineTokens(token, env) : [token]
    let done = 0
    for (const one of inside) {
      for (const part of parts(one)) {
        sheet.add(part)
        done += part.content.length
        at = Math.max(at, Math.min(begin + done, end))
        if (sheet.isFull(part)) yield { ops: sheet.take(), processedChars: at }
      }
    }
  }
  yield { ops: sheet.take(), processedChars: markdown.length }
}

function inlineTokens(token: Token, env: Env): readonly Token[] {
  const state = new inlines.core.State('', inlines, env)
  state.tokens = [token]
  inlines.core.process(state)
  return token.children ?? []
}

/** Splits a long text or code into pieces that can be rendered; leaves everything else as it is. */
function* parts(token: Token): Generator<Token, void, undefined> {
  const { content } = token
  if (token.nesting !== 0 || content.length <= CUT_WEIGHT) return yield token
  for (let at = 0; at < content.length;) {
    const end = cutAt(content, at + CUT_WEIGHT)
    yield Object.assign(Object.create(Object.getPrototypeOf(token) as object) as Token, token, {
      content: content.slice(at, end),
    })
    at = end
  }
}

/** Where to cut near `end`: after a line break if there is one, never inside a character. */
function cutAt(text: string, end: number): number {
  if (end >= text.length) return text.length
  const line = text.lastIndexOf('\n', end) + 1
  if (line > end - CUT_WEIGHT) return line
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end
}

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

interface OpenElement {
  readonly opening: OpeningElement
  /** For a list: entries so far. */
  items: number
}

/** Elements and texts that grow token by token and can be taken off in between. */
class Sheet {
  #ops: GuideOp[] = []
  #weight = 0
  readonly #open: OpenElement[] = []

  add(token: Token): void {
    const { type, tag, content, hidden, nesting } = token
    if (hidden) return
    if (nesting === 1) this.#begin(openingOf(token))
    else if (nesting === -1) this.#end()
    else if (type === 'fence' || type === 'code_block')
      this.#put([{ tag: 'pre' }, { tag: 'code' }, content, null, null])
    else if (type === 'code_inline') this.#put([{ tag: 'code' }, content, null])
    else if (type === 'hr' || type === 'hardbreak') this.#put([{ tag }, null])
    else this.#put([type === 'softbreak' ? '\n' : content])
  }

  #begin(opening: OpeningElement): void {
    const around = this.#open.at(-1)
    if (opening.tag === 'li' && around) around.items += 1
    this.#open.push({ opening, items: 0 })
    this.#put([opening])
  }

  #end(): void {
    this.#open.pop()
    this.#put([null])
  }

  #put(ops: readonly GuideOp[]): void {
    for (const op of ops) {
      this.#ops.push(op)
      this.#weight += typeof op === 'string' ? op.length : ELEMENT_WEIGHT
    }
  }

  isFull({ nesting, block }: Token): boolean {
    const weight = this.#weight
    if (weight < TARGET_WEIGHT) return false
    return this.#open.length === 0 || weight >= MAX_WEIGHT || (weight >= CUT_WEIGHT && block && nesting === -1)
  }

  take(): readonly GuideOp[] {
    const ops = [...this.#ops, ...this.#open.map(() => null)]
    this.#ops = []
    this.#weight = 0
    this.#put(this.#open.map((element, depth) => this.#reopened(element, depth)))
    return ops
  }

  /** A continued list continues its numbering. */
  #reopened({ opening, items }: OpenElement, depth: number): OpeningElement {
    if (opening.tag !== 'ol') return opening
    const cut = depth < this.#open.length - 1 ? 1 : 0
    return { tag: 'ol', start: (opening.start ?? 1) + items - cut }
  }
}

function openingOf(token: Token): OpeningElement {
  const { tag } = token
  const [href, start] = [token.attrGet('href'), token.attrGet('start')]
  return { tag, ...(typeof href === 'string' ? { href } : {}), ...(start === null ? {} : { start: Number(start) }) }
}
