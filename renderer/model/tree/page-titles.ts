import { foldText } from '../../../shared/format/text-folding.ts'
import { getSparseText, type SparseTexts } from './sparse-texts.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The titles of a page as they are searched. They become text when that is first needed, because loading must not wait for it. */
export class PageTitles {
  /** In UTF-8, each followed by a zero; empty once `#lower` holds them. */
  #bytes: Uint8Array
  readonly #others: SparseTexts
  /** Folded, each followed by a zero. */
  #lower = ''
  /** Where each ends in `#lower`. */
  readonly #ends: Uint32Array
  #isFolded = false

  constructor(bytes: Uint8Array, others: SparseTexts, count: number) {
    this.#bytes = bytes
    this.#others = others
    this.#ends = new Uint32Array(count)
  }

  /** Makes the titles ready to be searched. */
  prepareSearch(): void {
    if (this.#isFolded) return
    this.#isFolded = true
    const text = decoder.decode(this.#bytes)
    this.#bytes = new Uint8Array(0)
    if (this.#others.rows.length > 0) return this.#foldEach(text)
    this.#lower = foldText(text)
    let end = -1
    for (let n = 0; n < this.#ends.length; n += 1) this.#ends[n] = end = this.#lower.indexOf('\0', end + 1)
  }

  /** Calls `hit` for each row whose title contains the folded text, as long as that returns true. */
  search(needle: string, hit: (row: number) => boolean): void {
    this.prepareSearch()
    const lower = this.#lower
    let row = 0
    for (let at = lower.indexOf(needle); at >= 0;) {
      while ((this.#ends[row] ?? lower.length) < at) row += 1
      const end = this.#ends[row] ?? lower.length
      // A hit that runs into the next title does not count; the search continues one character further.
      if (at + needle.length > end) at = lower.indexOf(needle, at + 1)
      else if (hit(row)) at = lower.indexOf(needle, end)
      else return
    }
  }

  /** A row has another title from now on. */
  setTitle(row: number, title: string): void {
    this.prepareSearch()
    const end = this.#ends[row]
    if (end === undefined) return
    const start = row === 0 ? 0 : (this.#ends[row - 1] ?? 0) + 1
    const lower = foldText(title)
    this.#lower = this.#lower.slice(0, start) + lower + this.#lower.slice(end)
    const longer = lower.length - (end - start)
    for (let at = row; at < this.#ends.length; at += 1) this.#ends[at] = (this.#ends[at] ?? 0) + longer
  }

  #foldEach(text: string): void {
    const titles = text.split('\0').map((title, row) => foldText(getSparseText(this.#others, row) ?? title))
    this.#lower = titles.join('\0')
    let end = -1
    for (let n = 0; n < this.#ends.length; n += 1) this.#ends[n] = end += (titles[n]?.length ?? 0) + 1
  }
}
