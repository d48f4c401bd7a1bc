import MarkdownIt, { type Env, type Token } from 'markdown-it'

/** An opening tag. Only links have `href`, only ordered lists `start`. */
export interface OpeningElement {
  readonly tag: string
  readonly href?: string
  readonly start?: number
}

/** An opening tag, a text, or null for a closing tag. */
export type GuideStep = OpeningElement | string | null

/** A part of the guide that is rendered at once. */
export interface GuidePiece {
  /** An element that goes on in the next piece is closed here and opened again there. */
  readonly steps: readonly GuideStep[]
  readonly processedChars: number
}

/**
 * From the first weight on, a piece ends between two blocks; from the second on, also inside a long
 * list or table; from the last on, anywhere. A character weighs 1, and the weight of an element
 * reflects its rendering time.
 */
const TARGET_WEIGHT = 24_000
const CUT_WEIGHT = 32_000
const MAX_WEIGHT = 40_000
const ELEMENT_WEIGHT = 20

function createMarkdownIt(rules: readonly string[]) {
  const markdownIt = new MarkdownIt({ html: false, linkify: false })
  markdownIt.disable('image')
  // Web addresses, anchors, and files beside the guide; links of other schemes stay text.
  markdownIt.validateLink = (url) => /^https?:\/\//i.test(url) || /^(?![\\/]{2})[^:#]*(?:#.*)?$/.test(url)
  markdownIt.core.ruler.enableOnly([...rules])
  return markdownIt
}

/** Finds the blocks of the whole text, which is fast; `inlines` parses their contents. */
const blocks = createMarkdownIt(['normalize', 'block'])
const inlines = createMarkdownIt(['inline', 'text_join'])

/** Yields pieces that each render within a frame, cut wherever necessary. Raw HTML stays text. */
export function* splitGuide(markdown: string): Generator<GuidePiece, void, undefined> {
  const env: Env = {}
  const tokens = blocks.parse(markdown, env)
  const starts = findLineStarts(markdown)
  const builder = new PieceBuilder()
  let blockStart = 0
  let processedChars = 0
  for (const token of tokens) {
    if (token.map) blockStart = Math.max(blockStart, starts[token.map[0]] ?? markdown.length)
    const blockEnd = token.map ? (starts[token.map[1]] ?? markdown.length) : blockStart
    const innerTokens = token.type === 'inline' ? parseInline(token, env) : [token]
    let processedInBlock = 0
    for (const innerToken of innerTokens) {
      for (const part of splitToken(innerToken)) {
        builder.add(part)
        processedInBlock += part.content.length
        processedChars = Math.max(processedChars, Math.min(blockStart + processedInBlock, blockEnd))
        if (builder.isFull(part)) yield { steps: builder.take(), processedChars }
      }
    }
  }
  yield { steps: builder.take(), processedChars: markdown.length }
}

function parseInline(token: Token, env: Env): readonly Token[] {
  const state = new inlines.core.State('', inlines, env)
  state.tokens = [token]
  inlines.core.process(state)
  return token.children ?? []
}

/** Splits a long text or code block. Other tokens stay whole. */
function* splitToken(token: Token): Generator<Token, void, undefined> {
  const { content } = token
  if (token.nesting !== 0 || content.length <= CUT_WEIGHT) return yield token
  for (let start = 0; start < content.length;) {
    const end = findCut(content, start + CUT_WEIGHT)
    yield Object.assign(Object.create(Object.getPrototypeOf(token) as object) as Token, token, {
      content: content.slice(start, end),
    })
    start = end
  }
}

/** Cuts near `end`: after a line break if there is one, and never inside a character. */
function findCut(text: string, end: number): number {
  if (end >= text.length) return text.length
  const lineStart = text.lastIndexOf('\n', end) + 1
  if (lineStart > end - CUT_WEIGHT) return lineStart
  const code = text.charCodeAt(end - 1)
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end
}

function findLineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) starts.push(index + 1)
  return starts
}

interface OpenElement {
  readonly opening: OpeningElement
  /** Number of list entries so far. */
  itemCount: number
}

/** `take` closes open elements and opens them again in the next piece. */
class PieceBuilder {
  #steps: GuideStep[] = []
  #weight = 0
  readonly #openElements: OpenElement[] = []

  add(token: Token): void {
    const { type, tag, content, hidden, nesting } = token
    if (hidden) return
    if (nesting === 1) this.#openElement(toOpeningElement(token))
    else if (nesting === -1) this.#closeElement()
    else if (type === 'fence' || type === 'code_block')
      this.#append([{ tag: 'pre' }, { tag: 'code' }, content, null, null])
    else if (type === 'code_inline') this.#append([{ tag: 'code' }, content, null])
    else if (type === 'hr' || type === 'hardbreak') this.#append([{ tag }, null])
    else this.#append([type === 'softbreak' ? '\n' : content])
  }

  #openElement(opening: OpeningElement): void {
    const parent = this.#openElements.at(-1)
    if (opening.tag === 'li' && parent) parent.itemCount += 1
    this.#openElements.push({ opening, itemCount: 0 })
    this.#append([opening])
  }

  #closeElement(): void {
    this.#openElements.pop()
    this.#append([null])
  }

  #append(steps: readonly GuideStep[]): void {
    for (const step of steps) {
      this.#steps.push(step)
      this.#weight += typeof step === 'string' ? step.length : ELEMENT_WEIGHT
    }
  }

  isFull({ nesting, block }: Token): boolean {
    const weight = this.#weight
    if (weight < TARGET_WEIGHT) return false
    return this.#openElements.length === 0 || weight >= MAX_WEIGHT || (weight >= CUT_WEIGHT && block && nesting === -1)
  }

  take(): readonly GuideStep[] {
    const steps = [...this.#steps, ...this.#openElements.map(() => null)]
    this.#steps = []
    this.#weight = 0
    this.#append(this.#openElements.map((element, depth) => this.#toReopening(element, depth)))
    return steps
  }

  /** A list that continues in the next piece keeps its numbering. */
  #toReopening({ opening, itemCount }: OpenElement, depth: number): OpeningElement {
    if (opening.tag !== 'ol') return opening
    const cut = depth < this.#openElements.length - 1 ? 1 : 0
    return { tag: 'ol', start: (opening.start ?? 1) + itemCount - cut }
  }
}

function toOpeningElement(token: Token): OpeningElement {
  const { tag } = token
  const [href, start] = [token.attrGet('href'), token.attrGet('start')]
  return { tag, ...(typeof href === 'string' ? { href } : {}), ...(start === null ? {} : { start: Number(start) }) }
}
