import { BACKSLASH, Decoder, EDGE, fold, isControlLetter } from './decode.ts'
import { Edges } from './edges.ts'
import type { TokenSpans, How, TokenSpan } from './found.ts'
import { formsOf, isWord, KNOWN_BY, type Form } from './forms.ts'
import { isName, Strings } from './strings.ts'
import { isSpecial, Specials } from './specials.ts'
import { buildTables, type Tables } from './tables.ts'

/** How many bytes are decoded at once: around a lone escape, and around many. */
const NEAR = 96
const WIDE = 2_048
/** Within an escape, encoded itself or not, the next byte that begins one is at most this far away; and the maximum length of an escape. */
const FAR = 32
const LONGEST_ESCAPE = 640
/** However it is written, a token longer than this many bytes is not searched for. */
const LONGEST = 65_536

/** Finds tokens in bytes, written in any of their forms and in any way that `Decoder` reads. */
export class Finder {
  readonly #tables: Tables
  readonly #forms: readonly Form[]
  readonly #zone: Decoder
  readonly #verify: Decoder
  readonly #edges: Edges
  #bytes: Buffer = Buffer.alloc(0)
  #how: How = { json: false, final: true }
  #spans: TokenSpan[] = []
  #specials = new Specials(this.#bytes)
  /** No word continues past this place. */
  #edge = -1
  #open = false
  #strings = new Strings(this.#bytes)

  private constructor(forms: readonly Form[], tokens: readonly string[]) {
    this.#forms = forms
    this.#tables = buildTables(forms)
    const backslash = tokens.some((token) => token.includes('\\'))
    this.#zone = new Decoder(backslash)
    this.#verify = new Decoder(backslash)
    this.#edges = new Edges(forms)
  }

  /** Null if no token is long enough to search for. */
  static of(tokens: readonly string[]): Finder | null {
    const forms = tokens.flatMap(formsOf)
    return forms.length === 0 ? null : new Finder(forms, tokens)
  }

  /** False if a text certainly holds no token; true of most texts, and cheap to find out. */
  mayBeIn(text: string): boolean {
    const { width, shifts } = this.#tables
    if (text.length < width) return false
    if (/[\\%&\0]/.test(text)) return true
    for (let at = width - 2; at + 1 < text.length;) {
      const [first, second] = [text.charCodeAt(at), text.charCodeAt(at + 1)]
      const shift = first < EDGE && second < EDGE ? (shifts[(first << 8) | second] ?? 0) : width - 1
      if (shift === 0) return true
      at += shift
    }
    return false
  }

  find(bytes: Uint8Array, how: How): TokenSpans {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#how = how
    this.#spans = []
    this.#specials = new Specials(this.#bytes)
    this.#edge = -1
    this.#open = false
    this.#strings = new Strings(this.#bytes)
    const size = bytes.byteLength
    let at = 0
    while (at < size && !this.#open) {
      const special = this.#specials.after(at)
      at = this.#plain(at, special)
      if (this.#open || special >= size) break
      if (at > special) continue
      const length = this.#edges.length(this.#bytes, special, how.json)
      if (length === 0) at = this.#around(at, special)
      else {
        at = special + length
        // An `n` after a backslash is a line break, not part of a word.
        const control = this.#bytes[special] === BACKSLASH && isControlLetter(this.#bytes[special + 1])
        this.#edge = control ? special + 2 : at
      }
    }
    const done = how.final ? size : Math.min(at, size)
    return { spans: this.#spans, done, before: this.#before(done) }
  }

  /**
   * Searches bytes that stand for themselves. Returns the place before which no form can begin, or the end of a token that reaches past
   * `to`.
   */
  #plain(from: number, to: number): number {
    const bytes = this.#bytes
    const { width, shifts } = this.#tables
    let at = from
    while (at + width <= to) {
      const shift = shifts[((bytes[at + width - 2] ?? 0) << 8) | (bytes[at + width - 1] ?? 0)] ?? 1
      if (shift > 0) at += shift
      else {
        const end = this.#begins(fold(bytes[at] ?? 0), fold(bytes[at + 1] ?? 0)) ? this.#match(at, this.#before(at)) : 0
        if (end < 0) return at
        at = Math.max(at + 1, end)
        if (at > to) return at
      }
    }
    return at
  }

  /** Searches around an escape, from `from` on. Returns where to continue, and sets `#open` if that depends on what follows. */
  #around(from: number, special: number): number {
    const size = this.#bytes.length
    let to = Math.min(size, special + NEAR)
    let sure = this.#sure(special, to)
    if (sure <= special) {
      to = Math.min(size, special + WIDE)
      sure = this.#sure(special, to)
    }
    if (sure <= special) {
      this.#open = true
      return from
    }
    const count = this.#zone.run(this.#bytes, from, to, this.#how.json)
    const { codes, starts, ends } = this.#zone
    const last = this.#specials.last(special, to)
    for (let at = 0; at < count; at += 1) {
      const start = starts[at] ?? 0
      const before = at > 0 ? (codes[at - 1] ?? EDGE) : this.#before(start)
      if (start >= sure || start > last) {
        // Not at its first byte: a backslash before it may belong to an escape that is cut off.
        const place = at > 0 ? (ends[at - 1] ?? start) : Math.min(start, sure)
        if (!isWord(before)) this.#edge = place
        return place
      }
      if (!this.#mayMatch(at, sure)) continue
      const end = this.#match(start, before)
      if (end < 0) return start
      if (end > start) return end
    }
    return sure
  }

  /** Everything that begins before this place is unaffected by what comes after `to`. */
  #sure(from: number, to: number): number {
    if (to === this.#bytes.length && this.#how.final) return to
    const least = Math.max(from, to - LONGEST_ESCAPE)
    let sure = to
    for (let last = to; last > least && sure - last < FAR;) {
      last = this.#specials.last(least, last)
      if (sure - last < FAR && isSpecial(this.#bytes[last])) sure = last
    }
    return sure
  }

  #begins(first: number, second: number): boolean {
    return first < EDGE && second < EDGE && this.#tables.firsts[(first << 7) | second] === 1
  }

  /** Whether what was decoded from here on, as far as it is certain, is the beginning of a form. */
  #mayMatch(from: number, sure: number): boolean {
    const { codes, starts, count } = this.#zone
    const next = from + 1 < count && (starts[from + 1] ?? 0) < sure ? (codes[from + 1] ?? EDGE) : null
    if (next !== null && !this.#begins(codes[from] ?? EDGE, next)) return false
    return this.#forms.some((form) => {
      const most = Math.min(KNOWN_BY, form.codes.length)
      let same = 0
      while (same < most && from + same < count && codes[from + same] === form.codes[same]) same += 1
      const at = from + same
      return same === most || at >= count || (starts[at] ?? 0) >= sure
    })
  }

  /** The character before a place. */
  #before(at: number): number {
    if (at === this.#edge) return EDGE
    return at === 0 ? (this.#how.before ?? EDGE) : fold(this.#bytes[at - 1] ?? 0)
  }

  /** End of the token that begins here; 0 if there is none, -1 if that depends on bytes yet to come. Records its span. */
  #match(start: number, before: number): number {
    const { json, final } = this.#how
    const size = this.#bytes.length
    for (let room = NEAR; ; room = Math.max(WIDE, room * 8)) {
      const to = Math.min(size, start + room)
      const whole = (to === size && final) || room > LONGEST
      this.#verify.run(this.#bytes, start, to, json)
      const { form, length, more } = this.#longest(whole ? size : this.#sure(start, to), whole, before)
      if (more && to < size) continue
      if (more) {
        this.#open = true
        return -1
      }
      if (form === null) return 0
      const end = this.#verify.ends[length - 1] ?? start
      return this.#note(start, end, form) ? end : 0
    }
  }

  /** The form that matches longest; `more` if what follows may still be part of it. */
  #longest(sure: number, whole: boolean, before: number): { form: Form | null; length: number; more: boolean } {
    const { codes, starts } = this.#verify
    let { count } = this.#verify
    while (count > 0 && (starts[count - 1] ?? 0) >= sure) count -= 1
    let best: Form | null = null
    let length = 0
    let more = false
    for (const form of this.#forms) {
      if (form.alone && isWord(before)) continue
      let same = 0
      const most = Math.min(count, form.codes.length)
      while (same < most && codes[same] === form.codes[same]) same += 1
      const all = same === form.codes.length
      if (same === count && !whole && (!all || form.alone)) more = true
      else if (form.alone ? all && !(same < count && isWord(codes[same] ?? EDGE)) : same >= KNOWN_BY) {
        if (same <= length) continue
        best = form
        length = same
      }
    }
    return { form: best, length, more }
  }

  /** Records a span, unless masking it would break the JSON around it. */
  #note(start: number, end: number, form: Form): boolean {
    let digits = false
    if (this.#how.json) {
      if (form.alone && form.letters && isName(this.#bytes, start, end)) return false
      if (form.bare && !this.#strings.holds(start)) {
        digits = !form.alone && this.#bytes.subarray(start, end).every((byte) => byte >= 48 && byte <= 57)
        if (!digits) return false
      }
    }
    this.#spans.push({ start, end, digits })
    return true
  }
}
