// Parses a long list of flat objects without creating an object for each of them, because most
// entries of a list differ only in their values. Read `parseSharingShapes` first.

/** Different shapes of entries that are recognised; further ones make the list not worth it. */
const MAX_SHAPES = 24
/** Entries that are parsed one by one before the list counts as irregular. */
const MAX_PARSED_ENTRIES = 2_000
/** A longer entry gets no pattern, whose size would follow the entry's. */
const MAX_SHAPE_CHARS = 20_000

/** Written so that characters without a backslash are matched in one run. */
const TEXT = String.raw`"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"`
const NATURAL = String.raw`(?:0|[1-9]\d{0,20})`
/** Only numbers that are surely finite. */
const NUMBER = String.raw`-?${NATURAL}(?:\.\d{1,40})?`
const OTHER_NUMBER = String.raw`(?:-${NATURAL}(?:\.\d{1,40})?|${NATURAL}\.\d{1,40})`
const SPACE = String.raw`[ \t\r\n]*`
/** An object without objects and lists inside, up to the comma or bracket after it. */
const FLAT_OBJECT = new RegExp(String.raw`${SPACE}\{(?:${TEXT}|[^"{}\[\]])*\}${SPACE}[,\]]`, 'y')
const TOKEN = new RegExp(String.raw`${TEXT}|${NUMBER}|true|false|null|[{}\[\],:]|[ \t\r\n]+`, 'y')

interface Options {
  /** The bytes of the JSON text, each as one character. */
  readonly text: string
  /** Name of a member of the outermost object that is a list. */
  readonly listName: string
  /** True if JSON types alone decide. Whole numbers from 0 count as a type of their own. */
  readonly isDecidedByTypes: (entry: Readonly<Record<string, unknown>>) => boolean
  /** Number of entries at the beginning that keep their own values. */
  readonly exactEntries?: number
  /** Parses a part of the text. @throws SyntaxError */
  readonly parse: (part: string) => unknown
}

/** Entries of the same names and JSON types are one object. Null if too irregular, or no JSON. */
export function parseSharingShapes(options: Options): Record<string, unknown> | null {
  const { text, listName, parse } = options
  const name = `${JSON.stringify(listName)}:[`
  const listStart = text.indexOf(name) + name.length
  if (listStart < name.length) return null
  try {
    // Only within a list of the outermost object do these two brackets end the text.
    const head = text.slice(0, listStart)
    parse(`${head}]}`)
    const list = parseEntries(options, listStart)
    // With a repeated name, another list would count.
    if (list === null || text.includes(name, list.end)) return null
    const value = parse(`${head}]${text.slice(list.end)}`)
    if (typeof value !== 'object' || value === null || !Array.isArray(Reflect.get(value, listName))) return null
    return { ...value, [listName]: list.entries }
  } catch {
    return null
  }
}

interface KnownShape {
  readonly pattern: RegExp
  readonly sample: unknown
}

function parseEntries(
  { text, isDecidedByTypes, exactEntries = 0, parse }: Options,
  start: number,
): { readonly entries: unknown[]; readonly end: number } | null {
  const entries: unknown[] = []
  const shapes: KnownShape[] = []
  let parsedCount = 0
  for (let offset = start; ;) {
    const shape = shapes.find(({ pattern }) => {
      pattern.lastIndex = offset
      return pattern.test(text)
    })
    if (shape) {
      const end = shape.pattern.lastIndex
      entries.push(entries.length < exactEntries ? parse(text.slice(offset, end - 1)) : shape.sample)
      offset = end
    } else {
      FLAT_OBJECT.lastIndex = offset
      parsedCount += 1
      if (!FLAT_OBJECT.test(text) || parsedCount > MAX_PARSED_ENTRIES) return null
      const end = FLAT_OBJECT.lastIndex
      const entryText = text.slice(offset, end - 1)
      const entry = parse(entryText) as Record<string, unknown>
      entries.push(entry)
      if (entryText.length <= MAX_SHAPE_CHARS && isDecidedByTypes(entry)) {
        if (shapes.length >= MAX_SHAPES) return null
        shapes.push({ pattern: createShapePattern(entryText), sample: entry })
      }
      offset = end
    }
    if (text[offset - 1] === ']') return { entries, end: offset }
  }
}

/** A pattern for the same names and JSON types in this order. Whole numbers from 0 are a type. */
function createShapePattern(entryText: string): RegExp {
  let source = ''
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(entryText), isName = false; match; match = TOKEN.exec(entryText)) {
    const [token] = match
    const isText = token.startsWith('"')
    if (token === '{' || token === ',') isName = true
    source += isText && isName ? escapePattern(token) : (VALUE_PATTERNS[getTokenType(token)] ?? escapePattern(token))
    if (isText) isName = false
  }
  return getPattern(`${source}[,\\]]`)
}

/** Pages of a list have the same shapes, and a pattern becomes fast only when used again. */
const MAX_PATTERNS = 100
const patternsBySource = new Map<string, RegExp>()

function getPattern(source: string): RegExp {
  const pattern = patternsBySource.get(source) ?? new RegExp(source, 'y')
  if (patternsBySource.size >= MAX_PATTERNS) patternsBySource.clear()
  patternsBySource.set(source, pattern)
  return pattern
}

const VALUE_PATTERNS: Readonly<Record<string, string>> = {
  text: TEXT,
  natural: NATURAL,
  number: OTHER_NUMBER,
  flag: '(?:true|false)',
  space: SPACE,
}

function getTokenType(token: string): string {
  if (token.startsWith('"')) return 'text'
  if (/^[-\d]/.test(token)) return /^\d+$/.test(token) ? 'natural' : 'number'
  if (token === 'true' || token === 'false') return 'flag'
  return token.trim() === '' ? 'space' : 'mark'
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
