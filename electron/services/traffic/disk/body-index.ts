import type { Database } from '../../journal/database.ts'
import { PART_BYTES, type BodyStore } from './body-store.ts'
import { runTransaction } from './transaction.ts'

/**
 * Bytes of the next part that are indexed with a part, so that nothing is missed where they meet;
 * and characters of a chunk.
 */
const OVERLAP = 1_600
const CHUNK = 131_072
/** Characters that chunks have in common; no filter is longer. */
const SHARED = 400
/** A short text may begin many indexed terms; with more than this, bodies are read instead. */
const MAX_TERMS = 200
const MAX_GRAMS = 24
/** How long one step of indexing takes; questions come in between. */
const STEP_MS = 10

/**
 * Searches bodies: an index of every three characters names the parts that may hold a text, and
 * those are read.
 */
export class BodyIndex {
  readonly #database: Database
  readonly #bodies: BodyStore
  readonly #next
  readonly #addChunk
  readonly #addText
  readonly #done
  #waiting: string[] = []
  #current: { readonly body: number; readonly part: number } | null = null

  constructor(database: Database, bodies: BodyStore) {
    this.#database = database
    this.#bodies = bodies
    this.#next = database.prepare('SELECT id, parts, unread FROM bodies WHERE unread > 0 ORDER BY id DESC LIMIT 1')
    this.#addChunk = database.prepare('INSERT INTO chunks (body, part) VALUES (?, ?)')
    this.#addText = database.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)')
    this.#done = database.prepare('UPDATE bodies SET unread = unread - 1 WHERE id = ?')
  }

  /**
   * Indexes for some ten milliseconds; false if there is nothing to do. Throws what SQLite throws.
   */
  indexNext(): boolean {
    const until = performance.now() + STEP_MS
    let some = false
    try {
      runTransaction(this.#database, () => {
        while (performance.now() < until && this.#piece()) some = true
      })
    } catch (error) {
      this.#current = null
      throw error
    }
    return some
  }

  #piece(): boolean {
    if (!this.#current) {
      const row = this.#next.get()
      if (!row) return false
      const [body, part] = [Number(row['id']), Number(row['parts']) - Number(row['unread'])]
      this.#current = { body, part }
      this.#waiting = chunksOf(this.#textOf(body, part))
    }
    const { body, part } = this.#current
    const text = this.#waiting.shift()
    if (text !== undefined) this.#addText.run(this.#addChunk.run(body, part).lastInsertRowid, text)
    if (this.#waiting.length === 0) {
      this.#done.run(body)
      this.#current = null
    }
    return true
  }

  /** The body that is being indexed may be gone. */
  reset(): void {
    this.#current = null
  }

  /**
   * Bodies that hold a text, whatever its letter case, as far as they can be found by `deadline`
   * (`performance.now()`).
   */
  findBodies(text: string, deadline: number): { readonly bodies: ReadonlySet<number>; readonly isComplete: boolean } {
    const wanted = text.toLowerCase()
    const bodies = new Set<number>()
    for (const { body, part } of this.#candidates(wanted)) {
      if (performance.now() > deadline) return { bodies, isComplete: false }
      if (!bodies.has(body) && this.#textOf(body, part).toLowerCase().includes(wanted)) bodies.add(body)
    }
    return { bodies, isComplete: true }
  }

  *#candidates(wanted: string): Generator<{ body: number; part: number }> {
    const query = wanted.length >= 3 ? grams(wanted) : this.#shortQuery(wanted)
    const sql = 'SELECT DISTINCT body, part FROM chunks'
    const order = 'ORDER BY body DESC, part'
    const found =
      query === null
        ? this.#database.prepare(`${sql} ${order}`).all()
        : query === ''
          ? []
          : this.#database
              .prepare(`${sql} WHERE id IN (SELECT rowid FROM texts WHERE texts MATCH ?) ${order}`)
              .all(query)
    for (const { body, part } of found) yield { body: Number(body), part: Number(part) }
    // What is not indexed yet is read.
    for (const { id, parts, unread } of this.#database
      .prepare('SELECT id, parts, unread FROM bodies WHERE unread > 0')
      .all()) {
      for (let part = Number(parts) - Number(unread); part < Number(parts); part += 1) yield { body: Number(id), part }
    }
  }

  /**
   * For one or two characters: every indexed term that begins with them; null if those are too
   * many.
   */
  #shortQuery(wanted: string): string | null {
    const terms = this.#database
      .prepare('SELECT term FROM terms WHERE term >= ? AND term < ? LIMIT ?')
      .all(wanted, `${wanted}\u{10ffff}`, MAX_TERMS + 1)
    if (terms.length > MAX_TERMS) return null
    return terms.map(({ term }) => quoted(String(term))).join(' OR ')
  }

  #textOf(body: number, part: number): string {
    return plainText(this.#bodies.readText(body, part * PART_BYTES, (part + 1) * PART_BYTES + OVERLAP))
  }
}

/** What a person reads: JSON escapes characters beyond ASCII and slashes, or does not. */
const plainText = (text: string): string =>
  text
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll('\\/', '/')
    .replaceAll('\0', ' ')

/** The blanks at the end give the last characters a term that begins with them. */
function chunksOf(text: string): string[] {
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += CHUNK) chunks.push(`${text.slice(at, at + CHUNK + SHARED)}  `)
  return chunks
}

/**
 * Every three characters of a text; of a long one a sample, because what is found is read anyway.
 */
function grams(wanted: string): string {
  const characters = [...wanted]
  const count = characters.length - 2
  const step = Math.max(1, Math.ceil(count / MAX_GRAMS))
  const list = new Set<string>()
  for (let at = 0; at < count; at += step) list.add(characters.slice(at, at + 3).join(''))
  return [...list].map(quoted).join(' AND ')
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
