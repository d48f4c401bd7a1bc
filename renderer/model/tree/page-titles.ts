import { foldText } from '../../../shared/format/text-folding.ts'
import { getSparseText, type SparseTexts } from './sparse-texts.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Prepared for searching on first use, so that loading does not become slower. */
export class PageTitles {
  /** Titles in UTF-8, each followed by a zero byte; empty once `#foldedText` holds them. */
  #bytes: Uint8Array
  readonly #others: SparseTexts
  /** Folded titles, each followed by a zero character. */
  #foldedText = ''
  /** End of each title in `#foldedText`. */
  readonly #ends: Uint32Array
  #isFolded = false

  constructor(bytes: Uint8Array, others: SparseTexts, count: number) {
    this.#bytes = bytes
    this.#others = others
    this.#ends = new Uint32Array(count)
  }

  prepareSearch(): void {
    if (this.#isFolded) return
    this.#isFolded = true
    const text = decoder.decode(this.#bytes)
    this.#bytes = new Uint8Array(0)
    if (this.#others.rows.length > 0) return this.#foldEach(text)
    this.#foldedText = foldText(text)
    let end = -1
    for (let row = 0; row < this.#ends.length; row += 1) this.#ends[row] = end = this.#foldedText.indexOf('\0', end + 1)
  }

  /** Calls `onMatch` for each row with the text in its title, until it returns false. */
  search(foldedNeedle: string, onMatch: (row: number) => boolean): void {
    this.prepareSearch()
    const foldedText = this.#foldedText
    let row = 0
    for (let matchStart = foldedText.indexOf(foldedNeedle); matchStart >= 0;) {
      while ((this.#ends[row] ?? foldedText.length) < matchStart) row += 1
      const end = this.#ends[row] ?? foldedText.length
      // A match that extends into the next title does not count; it continues one further.
      if (matchStart + foldedNeedle.length > end) matchStart = foldedText.indexOf(foldedNeedle, matchStart + 1)
      else if (onMatch(row)) matchStart = foldedText.indexOf(foldedNeedle, end)
      else return
    }
  }

  setTitle(row: number, title: string): void {
    this.prepareSearch()
    const end = this.#ends[row]
    if (end === undefined) return
    const start = row === 0 ? 0 : (this.#ends[row - 1] ?? 0) + 1
    const foldedTitle = foldText(title)
    this.#foldedText = this.#foldedText.slice(0, start) + foldedTitle + this.#foldedText.slice(end)
    const lengthDelta = foldedTitle.length - (end - start)
    for (let index = row; index < this.#ends.length; index += 1)
      this.#ends[index] = (this.#ends[index] ?? 0) + lengthDelta
  }

  #foldEach(text: string): void {
    const titles = text.split('\0').map((title, row) => foldText(getSparseText(this.#others, row) ?? title))
    this.#foldedText = titles.join('\0')
    let end = -1
    for (let row = 0; row < this.#ends.length; row += 1) this.#ends[row] = end += (titles[row]?.length ?? 0) + 1
  }
}
