import type { Database } from '../../journal/database.ts'
import { foldText } from '../../../../shared/format/text-folding.ts'
import { BODY_PART_BYTES, type BodyStore } from './body-store.ts'
import { runTransaction } from './transaction.ts'

/** Bytes of the next part indexed with a part, so that text across the boundary is found. */
const OVERLAP_BYTES = 1_600
// Characters of a body that one chunk of the index covers.
const CHUNK_CHARS = 131_072
/** Characters that chunks share, so that text across the boundary is found; filters are shorter. */
const CHUNK_OVERLAP_CHARS = 400
/**
 * If more terms of the index begin with a text of one or two characters, bodies are read instead.
 */
const MAX_TERMS = 200
// Maximum number of three-character terms in a query of the index.
const MAX_TRIGRAMS = 24
/** Duration of one step of indexing. Queries are handled between steps. */
const STEP_MS = 10

/** Reads only parts whose trigrams may have the text, and those that are not indexed yet. */
export class BodyIndex {
  readonly #database: Database
  readonly #bodies: BodyStore
  readonly #selectUnread
  readonly #insertChunk
  readonly #insertText
  readonly #markPartIndexed
  #pendingChunks: string[] = []
  #currentPart: { readonly body: number; readonly part: number } | null = null

  constructor(database: Database, bodies: BodyStore) {
    this.#database = database
    this.#bodies = bodies
    this.#selectUnread = database.prepare(
      'SELECT id, parts, unread FROM bodies WHERE unread > 0 ORDER BY id DESC LIMIT 1',
    )
    this.#insertChunk = database.prepare('INSERT INTO chunks (body, part) VALUES (?, ?)')
    this.#insertText = database.prepare('INSERT INTO texts (rowid, text) VALUES (?, ?)')
    this.#markPartIndexed = database.prepare('UPDATE bodies SET unread = unread - 1 WHERE id = ?')
  }

  /** Indexes for about ten milliseconds. False if nothing is left. Throws SQLite's errors. */
  indexNext(): boolean {
    const deadline = performance.now() + STEP_MS
    let hasIndexed = false
    try {
      runTransaction(this.#database, () => {
        while (performance.now() < deadline && this.#indexChunk()) hasIndexed = true
      })
    } catch (error) {
      this.#currentPart = null
      throw error
    }
    return hasIndexed
  }

  #indexChunk(): boolean {
    if (!this.#currentPart) {
      const row = this.#selectUnread.get()
      if (!row) return false
      const [body, part] = [Number(row['id']), Number(row['parts']) - Number(row['unread'])]
      this.#currentPart = { body, part }
      this.#pendingChunks = splitIntoChunks(this.#readPartText(body, part))
    }
    const { body, part } = this.#currentPart
    const text = this.#pendingChunks.shift()
    if (text !== undefined) this.#insertText.run(this.#insertChunk.run(body, part).lastInsertRowid, text)
    if (this.#pendingChunks.length === 0) {
      this.#markPartIndexed.run(body)
      this.#currentPart = null
    }
    return true
  }

  /** Interrupts the indexing of the current part, because its body may have been removed. */
  reset(): void {
    this.#currentPart = null
  }

  /** Ignores letter case, and ends at `deadline` (`performance.now()`), even if incomplete. */
  findBodies(text: string, deadline: number): { readonly bodies: ReadonlySet<number>; readonly isComplete: boolean } {
    const foldedText = foldText(text)
    const bodies = new Set<number>()
    for (const { body, part } of this.#findCandidates(foldedText)) {
      if (performance.now() > deadline) return { bodies, isComplete: false }
      if (!bodies.has(body) && this.#readPartText(body, part).includes(foldedText)) bodies.add(body)
    }
    return { bodies, isComplete: true }
  }

  *#findCandidates(foldedText: string): Generator<{ body: number; part: number }> {
    const query = foldedText.length >= 3 ? buildTrigramQuery(foldedText) : this.#buildPrefixQuery(foldedText)
    const sql = 'SELECT DISTINCT body, part FROM chunks'
    const order = 'ORDER BY body DESC, part'
    const candidates =
      query === null
        ? this.#database.prepare(`${sql} ${order}`).all()
        : query === ''
          ? []
          : this.#database
              .prepare(`${sql} WHERE id IN (SELECT rowid FROM texts WHERE texts MATCH ?) ${order}`)
              .all(query)
    for (const { body, part } of candidates) yield { body: Number(body), part: Number(part) }
    // Parts that are not indexed yet may contain the text, so they must be read.
    for (const { id, parts, unread } of this.#database
      .prepare('SELECT id, parts, unread FROM bodies WHERE unread > 0')
      .all()) {
      for (let part = Number(parts) - Number(unread); part < Number(parts); part += 1) yield { body: Number(id), part }
    }
  }

  /** Finds one or two characters by all terms that begin so; null if there are too many. */
  #buildPrefixQuery(foldedText: string): string | null {
    const terms = this.#database
      .prepare('SELECT term FROM terms WHERE term >= ? AND term < ? LIMIT ?')
      .all(foldedText, `${foldedText}\u{10ffff}`, MAX_TERMS + 1)
    if (terms.length > MAX_TERMS) return null
    return terms.map(({ term }) => quoteTerm(String(term))).join(' OR ')
  }

  #readPartText(body: number, part: number): string {
    const end = (part + 1) * BODY_PART_BYTES + OVERLAP_BYTES
    return foldText(unescapeJson(this.#bodies.readText(body, part * BODY_PART_BYTES, end)))
  }
}

/** Some hosts escape slashes and non-ASCII characters in JSON. */
const unescapeJson = (text: string): string =>
  text
    .replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll('\\/', '/')
    .replaceAll('\0', ' ')

/** The two spaces at the end make a trigram that begins with each of the last characters. */
function splitIntoChunks(text: string): string[] {
  const chunks: string[] = []
  for (let index = 0; index < text.length; index += CHUNK_CHARS)
    chunks.push(`${text.slice(index, index + CHUNK_CHARS + CHUNK_OVERLAP_CHARS)}  `)
  return chunks
}

/** Joins trigrams; a sample of a long text suffices, as parts that match are read anyway. */
function buildTrigramQuery(foldedText: string): string {
  const characters = [...foldedText]
  const count = characters.length - 2
  const step = Math.max(1, Math.ceil(count / MAX_TRIGRAMS))
  const trigrams = new Set<string>()
  for (let index = 0; index < count; index += step) trigrams.add(characters.slice(index, index + 3).join(''))
  return [...trigrams].map(quoteTerm).join(' AND ')
}

const quoteTerm = (text: string): string => `"${text.replaceAll('"', '""')}"`
